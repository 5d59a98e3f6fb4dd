/* runtime_members.h - the offsets of a runtime's structures that are read, each a member of
 * struct runtime_layout and a row of the table of runtime_layout.c: who includes this says
 * what MEMBER(need, type, name, member, offsets...) is.
 *
 * Types and names are those of the runtime's data contracts, "!" is the size. Offsets by
 * column: .NET 10, 9 and 8 on x86-64; the same under Windows; .NET 10 on aarch64. Columns
 * of other processors are 0 where they are as on x86-64.
 *
 * Made by scripts/runtime-table.py of 10.0.1226.42308, 9.0.2026.41315 and 8.0.3126.42015,
 * and of what was found in dumps of these where the libraries do not tell it: that script
 * lists which. On aarch64 a thread has 40 bytes more, to step through code in software. */

MEMBER(EVERY, "MethodTable", "!", method_table_size, 64, 64, 64)
MEMBER(EVERY, "MethodTable", "MTFlags", method_table_flags, 0, 0, 0)
MEMBER(EVERY, "MethodTable", "BaseSize", method_table_base_size, 4, 4, 4)
MEMBER(EVERY, "MethodTable", "MTFlags2", method_table_flags2, 8, 8, 8)
MEMBER(EVERY, "MethodTable", "ParentMethodTable", method_table_parent, 16, 16, 16)
MEMBER(EVERY, "MethodTable", "Module", method_table_module, 24, 24, 24)
MEMBER(SINCE_9, "MethodTable", "AuxiliaryData", method_table_auxiliary_data, 32, 32, NO)
MEMBER(EVERY, "MethodTable", "EEClassOrCanonMT", method_table_class_or_canon, 40, 40, 40)
MEMBER(EVERY, "MethodTable", "PerInstInfo", method_table_per_inst_info, 48, 48, 48)
/* 16 bits of flags2. */
MEMBER(ONLY_8, "MethodTable", "MTToken", method_table_token, NO, NO, 10)
/* Asked for where there is a token. */
MEMBER(ONLY_8, "MethodTable", "NumVirtuals", method_table_virtual_count, NO, NO, 12)
MEMBER(EVERY, "EEClass", "MethodTable", ee_class_method_table, 16, 16, 16)
MEMBER(EVERY, "EEClass", "FieldDescList", ee_class_field_desc_list, 24, 24, 24)
MEMBER(EVERY, "EEClass", "InternalCorElementType", ee_class_element_type, 48, 48, 48, 64,
       64, 64)
MEMBER(SINCE_9, "EEClass", "NumInstanceFields", ee_class_instance_fields, 50, 50, NO, 66,
       66, 0)
MEMBER(SINCE_9, "EEClass", "NumStaticFields", ee_class_static_fields, 54, 54, NO, 70, 70, 0)
/* Of the base size: behind element_type if not told. */
MEMBER(NONE, "EEClass", "BaseSizePadding", ee_class_padding, NO, NO, 51, 0, 0, 67)
/* How its counts stand, and where. */
MEMBER(ONLY_8, "EEClass", "FieldsArePacked", ee_class_are_packed, NO, NO, 49, 0, 0, 65)
MEMBER(ONLY_8, "EEClass", "PackedFields", ee_class_packed, NO, NO, 50, 0, 0, 66)
MEMBER(SINCE_9, "DynamicStaticsInfo", "!", dynamic_statics_size, 24, 24, NO)
MEMBER(SINCE_9, "DynamicStaticsInfo", "GCStatics", dynamic_statics_gc, 0, 0, NO)
/* Of what is no reference. */
MEMBER(NONE, "DynamicStaticsInfo", "NonGCStatics", dynamic_statics_plain, 8, 8, NO)
MEMBER(SINCE_9, "ThreadStaticsInfo", "!", thread_statics_size, 40, 40, NO)
MEMBER(SINCE_9, "ThreadStaticsInfo", "GCTlsIndex", thread_statics_gc_index, 4, 4, NO)
MEMBER(NONE, "ThreadStaticsInfo", "NonGCTlsIndex", thread_statics_plain_index, 0, 0, NO)
MEMBER(EVERY, "GenericsDictInfo", "NumDicts", generics_dict_count, 4, 4, 4)
MEMBER(EVERY, "GenericsDictInfo", "NumTypeArgs", generics_dict_type_args, 6, 6, 6)
MEMBER(SINCE_9, "Module", "Base", module_base, 224, 288, NO, 200, 192, 0)
MEMBER(SINCE_9, "Module", "Path", module_path, 200, 272, NO, 176, 176, 0)
MEMBER(EVERY, "Module", "LoaderAllocator", module_loader_allocator, 176, 248, 248, 152, 152,
       152)
MEMBER(EVERY, "Module", "DynamicMetadata", module_dynamic_metadata, 840, 1120, 1688, 744,
       736, 1016)
MEMBER(NONE, "Module", "AvailableTypeParams", module_available_type_params, 600, 808, 968,
       528, 520, 584)
MEMBER(EVERY, "Module", "TypeDefToMethodTableMap", module_type_def_map, 416, 624, 752, 344,
       336, 368)
MEMBER(EVERY, "Module", "TypeRefToMethodTableMap", module_type_ref_map, 8, 8, 8)
MEMBER(ONLY_8, "Module", "PEAssembly", module_pe_assembly, NO, NO, 272, 0, 0, 176)
MEMBER(ONLY_8, "Module", "Assembly", module_assembly, NO, NO, 296, 0, 0, 200)
/* Where statics are, and which types have entries of their own. */
MEMBER(NONE, "Module", "DomainLocalModule", module_local_module, NO, NO, 1224, 0, 0, 744)
MEMBER(ONLY_8, "Module", "ModuleIndex", module_index, NO, NO, 1232, 0, 0, 752)
MEMBER(ONLY_8, "Module", "DynamicEntries", module_dynamic_count, NO, NO, 1280, 0, 0, 800)
MEMBER(ONLY_8, "Module", "DynamicStaticsInfo", module_dynamic_types, NO, NO, 1296, 0, 0,
       816)
/* Asked for where a module does not have the base of its image: the layouts of a PEImage
 * are as the loader has it, and as a file. */
MEMBER(ONLY_8, "PEAssembly", "PEImage", pe_image, NO, NO, 8)
MEMBER(ONLY_8, "PEImage", "Path", pe_path, NO, NO, 16)
MEMBER(ONLY_8, "PEImage", "FlatLayout", pe_flat, NO, NO, 112)
MEMBER(ONLY_8, "PEImage", "LoadedLayout", pe_loaded, NO, NO, 120)
MEMBER(ONLY_8, "PEImageLayout", "Base", pe_base, NO, NO, 8)
/* Where the statics of classes are kept: of generic and emitted ones in entries of their
 * own, of all others of a module in one place. A blob has a byte for each plain type, then
 * what refers to nothing. */
MEMBER(ONLY_8, "DomainLocalModule", "DynamicClassTable", local_module_classes, NO, NO, 8)
MEMBER(ONLY_8, "DomainLocalModule", "DynamicEntries", local_module_count, NO, NO, 16)
MEMBER(ONLY_8, "DomainLocalModule", "GCStatics", local_module_gc_statics, NO, NO, 32)
MEMBER(ONLY_8, "DomainLocalModule", "DataBlob", local_module_blob, NO, NO, 48)
MEMBER(ONLY_8, "ThreadLocalModule", "DynamicClassTable", thread_local_module_classes, NO,
       NO, 0)
MEMBER(ONLY_8, "ThreadLocalModule", "DynamicEntries", thread_local_module_count, NO, NO, 8)
MEMBER(ONLY_8, "ThreadLocalModule", "GCStatics", thread_local_module_gc_statics, NO, NO, 16)
MEMBER(ONLY_8, "ThreadLocalModule", "DataBlob", thread_local_module_blob, NO, NO, 24)
MEMBER(ONLY_8, "LoaderAllocator", "ObjectHandle", allocator_object, NO, NO, 976, 0, 0, 880)
MEMBER(EVERY, "ModuleLookupMap", "Next", lookup_map_next, 0, 0, 0)
MEMBER(EVERY, "ModuleLookupMap", "TableData", lookup_map_table, 8, 8, 8)
MEMBER(EVERY, "ModuleLookupMap", "Count", lookup_map_count, 16, 16, 16)
MEMBER(EVERY, "ModuleLookupMap", "SupportedFlagsMask", lookup_map_flags_mask, 24, 24, 24)
MEMBER(EVERY, "EETypeHashTable", "Buckets", type_hash_buckets, 16, 16, 16)
MEMBER(EVERY, "EETypeHashTable", "VolatileEntryValue", type_hash_entry_value, 0, 0, 0)
MEMBER(EVERY, "EETypeHashTable", "VolatileEntryNextEntry", type_hash_entry_next, 8, 8, 8)
/* Of DomainAssemblies, or, since .NET 11, of Assemblies. */
MEMBER(NONE, "AppDomain", "DomainAssemblyList", app_domain_assembly_list, 576, 1824, 2544,
       408, 776, 1208)
MEMBER(NONE, "AppDomain", "AssemblyList", app_domain_assemblies, NO, NO, NO)
MEMBER(EVERY, "ArrayListBase", "Count", array_list_count, 0, 0, 0)
MEMBER(EVERY, "ArrayListBase", "FirstBlock", array_list_first_block, 8, 8, 8)
MEMBER(EVERY, "ArrayListBlock", "Next", array_list_block_next, 0, 0, 0)
MEMBER(EVERY, "ArrayListBlock", "Size", array_list_block_size, 8, 8, 8)
MEMBER(EVERY, "ArrayListBlock", "ArrayStart", array_list_block_items, 16, 16, 16)
MEMBER(EVERY, "Assembly", "Module", assembly_module, 16, 16, 24)
MEMBER(EVERY, "ThreadStore", "FirstThreadLink", thread_store_first_link, 88, 160, 160, 64,
       64, 64)
MEMBER(EVERY, "ThreadStore", "ThreadCount", thread_store_count, 112, 184, 184, 88, 88, 88)
MEMBER(EVERY, "Thread", "LinkNext", thread_link, 112, 112, 232, 120, 120, 248, 152)
MEMBER(SINCE_9, "Thread", "RuntimeThreadLocals", thread_locals, 32, 32, NO)
MEMBER(NONE, "Thread", "ThreadLocalDataPtr", thread_static_data, 568, 928, NO, 592, 960, 0,
       608)
MEMBER(EVERY, "Thread", "OSId", thread_os_id, 296, 296, 424, 304, 304, 440, 336)
MEMBER(NONE, "Thread", "CachedStackBase", thread_stack_base, 120, NO, NO, 128, 0, 0, 160)
MEMBER(ONLY_8, "Thread", "AllocContext", thread_alloc_context, NO, NO, 88, 0, 0, 88)
MEMBER(ONLY_8, "Thread", "ThreadLocalBlock", thread_local_block, NO, NO, 1080, 0, 0, 1120)
MEMBER(ONLY_8, "ThreadLocalBlock", "TLMTable", thread_local_block_modules, NO, NO, 0)
MEMBER(ONLY_8, "ThreadLocalBlock", "TLMTableSize", thread_local_block_count, NO, NO, 8)
MEMBER(SINCE_9, "RuntimeThreadLocals", "AllocContext", allocation_alloc_context, 0, 0, NO)
MEMBER(SINCE_9, "EEAllocContext", "GCAllocationContext", allocation_gc_context, 8, 0, NO)
MEMBER(EVERY, "GCAllocContext", "Pointer", allocation_pointer, 0, 0, 0)
MEMBER(EVERY, "GCAllocContext", "Limit", allocation_limit, 8, 8, 8)
/* Of what is not collectible. */
MEMBER(SINCE_9, "ThreadLocalData", "NonCollectibleTlsDataCount", thread_local_data_count, 0,
       0, NO)
MEMBER(SINCE_9, "ThreadLocalData", "NonCollectibleTlsArrayData", thread_local_data_items, 8,
       8, NO)
MEMBER(EVERY, "TypeDesc", "TypeAndFlags", type_desc_flags, 0, 0, 0)
MEMBER(EVERY, "ParamTypeDesc", "TypeArg", param_type_arg, 16, 16, 8)
MEMBER(EVERY, "DynamicMetadata", "Size", dynamic_metadata_size, 0, 0, 0)
MEMBER(SINCE_9, "DynamicMetadata", "Data", dynamic_metadata_data, 4, 4, NO)
/* To the data. */
MEMBER(ONLY_8, "DynamicMetadata", "Buffer", dynamic_metadata_pointer, NO, NO, 16)
