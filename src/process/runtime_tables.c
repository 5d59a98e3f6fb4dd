#include "process/runtime_tables.h"

const struct runtime_table runtime_tables[] = {
    /* 10.0.1226.42308, x86-64. Found in a dump: Thread.CachedStackBase. */
    {
        .major = 10,
        .source = "10.0.1226.42308",
        .app_domain = 20,
        .thread_store = 15,
        .free_object = 56,
        .json =
            "{\"types\":{\"MethodTable\":{\"!\":64,\"MTFlags\":0,\"BaseSize\":4,"
            "\"MTFlags2\":8,\"ParentMethodTable\":16,\"Module\":24,\"AuxiliaryData\":32,"
            "\"EEClassOrCanonMT\":40,\"PerInstInfo\":48},\"EEClass\":{\"MethodTable\":16,"
            "\"FieldDescList\":24,\"InternalCorElementType\":48,\"NumInstanceFields\":50,"
            "\"NumStaticFields\":54},\"DynamicStaticsInfo\":{\"!\":24,\"GCStatics\":0,"
            "\"NonGCStatics\":8},\"ThreadStaticsInfo\":{\"!\":40,\"GCTlsIndex\":4,"
            "\"NonGCTlsIndex\":0},\"GenericsDictInfo\":{"
            "\"NumDicts\":4,\"NumTypeArgs\":6},\"Module\":{\"Base\":224,\"Path\":200,"
            "\"LoaderAllocator\":176,\"DynamicMetadata\":840,\"AvailableTypeParams\":600,"
            "\"TypeDefToMethodTableMap\":416,\"TypeRefToMethodTableMap\":8},"
            "\"ModuleLookupMap\":{\"Next\":0,\"TableData\":8,\"Count\":16,"
            "\"SupportedFlagsMask\":24},\"EETypeHashTable\":{\"Buckets\":16,"
            "\"VolatileEntryValue\":0,\"VolatileEntryNextEntry\":8},\"AppDomain\":{"
            "\"DomainAssemblyList\":576},\"ArrayListBase\":{\"Count\":0,"
            "\"FirstBlock\":8},\"ArrayListBlock\":{\"Next\":0,\"Size\":8,"
            "\"ArrayStart\":16},\"Assembly\":{\"Module\":16},\"ThreadStore\":{"
            "\"FirstThreadLink\":88,\"ThreadCount\":112},\"Thread\":{\"LinkNext\":112,"
            "\"RuntimeThreadLocals\":32,\"ThreadLocalDataPtr\":568,\"OSId\":296,"
            "\"CachedStackBase\":120},\"RuntimeThreadLocals\":{\"AllocContext\":0},"
            "\"EEAllocContext\":{\"GCAllocationContext\":8},\"GCAllocContext\":{"
            "\"Pointer\":0,\"Limit\":8},\"ThreadLocalData\":{"
            "\"NonCollectibleTlsDataCount\":0,\"NonCollectibleTlsArrayData\":8},"
            "\"TypeDesc\":{\"TypeAndFlags\":0},\"ParamTypeDesc\":{\"TypeArg\":16},"
            "\"DynamicMetadata\":{\"Size\":0,\"Data\":4}},\"globals\":{"
            "\"StaticsPointerMask\":\"0xfffffffffffffffe\","
            "\"NumberOfTlsOffsetsNotUsedInNoncollectibleArray\":\"0x2\"},\"contracts\":{"
            "\"Loader\":1,\"Object\":1,\"RuntimeTypeSystem\":1,\"Thread\":1}}",
        /* From the descriptor of the same version, and, what that does not tell, from what
         * a thread has more there: 40 bytes, to step through code in software. */
        .elsewhere =
            {
                {MACHINE_AARCH64, 0,
                 "{\"types\":{\"Thread\":{\"LinkNext\":152,\"ThreadLocalDataPtr\":608,"
                 "\"OSId\":336,\"CachedStackBase\":160}}}"},
                {MACHINE_WINDOWS, 57,
                 "{\"types\":{\"EEClass\":{\"InternalCorElementType\":64,"
                 "\"NumInstanceFields\":66,\"NumStaticFields\":70},\"Module\":{"
                 "\"Base\":200,\"Path\":176,\"LoaderAllocator\":152,"
                 "\"DynamicMetadata\":744,\"AvailableTypeParams\":528,"
                 "\"TypeDefToMethodTableMap\":344},\"AppDomain\":{"
                 "\"DomainAssemblyList\":408},\"ThreadStore\":{"
                 "\"FirstThreadLink\":64,\"ThreadCount\":88},\"Thread\":{"
                 "\"LinkNext\":120,\"ThreadLocalDataPtr\":592,\"OSId\":304,"
                 "\"CachedStackBase\":128}}}"},
            },
    },
    /* 9.0.2026.41315, x86-64. From 10.0.1226.42308: MethodTable.!,
     * MethodTable.AuxiliaryData, EEClass.FieldDescList, EEClass.NumInstanceFields,
     * EEClass.NumStaticFields, DynamicStaticsInfo.!, DynamicStaticsInfo.GCStatics,
     * DynamicStaticsInfo.NonGCStatics, ThreadStaticsInfo.!, ThreadStaticsInfo.GCTlsIndex,
     * ThreadStaticsInfo.NonGCTlsIndex, GenericsDictInfo.NumDicts, ModuleLookupMap.Next,
     * ModuleLookupMap.Count, ModuleLookupMap.SupportedFlagsMask, EETypeHashTable.Buckets,
     * EETypeHashTable.VolatileEntryValue, EETypeHashTable.VolatileEntryNextEntry,
     * ArrayListBase.Count, ArrayListBase.FirstBlock, ArrayListBlock.Next,
     * ArrayListBlock.Size, ArrayListBlock.ArrayStart, Assembly.Module,
     * ThreadLocalData.NonCollectibleTlsDataCount,
     * ThreadLocalData.NonCollectibleTlsArrayData. Found in a dump:
     * Module.AvailableTypeParams, AppDomain.DomainAssemblyList,
     * Thread.ThreadLocalDataPtr, EEAllocContext.GCAllocationContext. */
    {
        .major = 9,
        .source = "9.0.2026.41315",
        .app_domain = 21,
        .thread_store = 16,
        .free_object = 57,
        .json =
            "{\"types\":{\"MethodTable\":{\"!\":64,\"MTFlags\":0,\"BaseSize\":4,"
            "\"MTFlags2\":8,\"ParentMethodTable\":16,\"Module\":24,\"AuxiliaryData\":32,"
            "\"EEClassOrCanonMT\":40,\"PerInstInfo\":48},\"EEClass\":{\"MethodTable\":16,"
            "\"FieldDescList\":24,\"InternalCorElementType\":48,\"NumInstanceFields\":50,"
            "\"NumStaticFields\":54},\"DynamicStaticsInfo\":{\"!\":24,\"GCStatics\":0,"
            "\"NonGCStatics\":8},\"ThreadStaticsInfo\":{\"!\":40,\"GCTlsIndex\":4,"
            "\"NonGCTlsIndex\":0},\"GenericsDictInfo\":{"
            "\"NumDicts\":4,\"NumTypeArgs\":6},\"Module\":{\"Base\":288,\"Path\":272,"
            "\"LoaderAllocator\":248,\"DynamicMetadata\":1120,"
            "\"AvailableTypeParams\":808,\"TypeDefToMethodTableMap\":624,"
            "\"TypeRefToMethodTableMap\":8},\"ModuleLookupMap\":{\"Next\":0,"
            "\"TableData\":8,\"Count\":16,\"SupportedFlagsMask\":24},"
            "\"EETypeHashTable\":{\"Buckets\":16,\"VolatileEntryValue\":0,"
            "\"VolatileEntryNextEntry\":8},\"AppDomain\":{\"DomainAssemblyList\":1824},"
            "\"ArrayListBase\":{\"Count\":0,\"FirstBlock\":8},\"ArrayListBlock\":{"
            "\"Next\":0,\"Size\":8,\"ArrayStart\":16},\"Assembly\":{\"Module\":16},"
            "\"ThreadStore\":{\"FirstThreadLink\":160,\"ThreadCount\":184},\"Thread\":{"
            "\"LinkNext\":112,\"RuntimeThreadLocals\":32,\"ThreadLocalDataPtr\":928,"
            "\"OSId\":296},\"RuntimeThreadLocals\":{\"AllocContext\":0},"
            "\"EEAllocContext\":{\"GCAllocationContext\":0},\"GCAllocContext\":{"
            "\"Pointer\":0,\"Limit\":8},\"ThreadLocalData\":{"
            "\"NonCollectibleTlsDataCount\":0,\"NonCollectibleTlsArrayData\":8},"
            "\"TypeDesc\":{\"TypeAndFlags\":0},\"ParamTypeDesc\":{\"TypeArg\":16},"
            "\"DynamicMetadata\":{\"Size\":0,\"Data\":4}},\"globals\":{"
            "\"StaticsPointerMask\":\"0xfffffffffffffffe\","
            "\"NumberOfTlsOffsetsNotUsedInNoncollectibleArray\":\"0x2\"},\"contracts\":{"
            "\"Loader\":1,\"Object\":1,\"RuntimeTypeSystem\":1,\"Thread\":1}}",
        /* Found in a dump of 9.0.20: the same as above. */
        .elsewhere =
            {
                {MACHINE_WINDOWS, 58,
                 "{\"types\":{\"EEClass\":{\"InternalCorElementType\":64,"
                 "\"NumInstanceFields\":66,\"NumStaticFields\":70},\"Module\":{"
                 "\"Base\":192,\"Path\":176,\"LoaderAllocator\":152,"
                 "\"DynamicMetadata\":736,\"AvailableTypeParams\":520,"
                 "\"TypeDefToMethodTableMap\":336},\"AppDomain\":{"
                 "\"DomainAssemblyList\":776},\"ThreadStore\":{"
                 "\"FirstThreadLink\":64,\"ThreadCount\":88},\"Thread\":{"
                 "\"LinkNext\":120,\"ThreadLocalDataPtr\":960,\"OSId\":304}}}"},
            },
    },
    /* 8.0.3126.42015, x86-64. From 10.0.1226.42308: MethodTable.!, MethodTable.MTFlags,
     * MethodTable.BaseSize, MethodTable.MTFlags2, MethodTable.ParentMethodTable,
     * MethodTable.Module, MethodTable.EEClassOrCanonMT, MethodTable.PerInstInfo,
     * EEClass.MethodTable, EEClass.FieldDescList, EEClass.InternalCorElementType,
     * GenericsDictInfo.NumDicts, GenericsDictInfo.NumTypeArgs,
     * Module.TypeRefToMethodTableMap, ModuleLookupMap.Next, ModuleLookupMap.TableData,
     * ModuleLookupMap.Count, ModuleLookupMap.SupportedFlagsMask,
     * EETypeHashTable.Buckets, EETypeHashTable.VolatileEntryValue,
     * EETypeHashTable.VolatileEntryNextEntry, ArrayListBase.Count,
     * ArrayListBase.FirstBlock, ArrayListBlock.Next, ArrayListBlock.Size,
     * ArrayListBlock.ArrayStart, GCAllocContext.Pointer, GCAllocContext.Limit,
     * TypeDesc.TypeAndFlags, DynamicMetadata.Size. Found in a dump:
     * MethodTable.MTToken, MethodTable.NumVirtuals, EEClass.BaseSizePadding,
     * EEClass.FieldsArePacked, EEClass.PackedFields, Module.PEAssembly,
     * Module.Assembly, Module.DomainLocalModule, Module.ModuleIndex,
     * Module.DynamicEntries, Module.DynamicStaticsInfo, PEAssembly.PEImage,
     * PEImage.Path, PEImage.FlatLayout, PEImage.LoadedLayout, PEImageLayout.Base,
     * DomainLocalModule.DynamicClassTable, DomainLocalModule.DynamicEntries,
     * DomainLocalModule.GCStatics, DomainLocalModule.DataBlob,
     * ThreadLocalModule.DynamicClassTable, ThreadLocalModule.DynamicEntries,
     * ThreadLocalModule.GCStatics, ThreadLocalModule.DataBlob,
     * LoaderAllocator.ObjectHandle, Thread.AllocContext, Thread.ThreadLocalBlock,
     * ThreadLocalBlock.TLMTable, ThreadLocalBlock.TLMTableSize, DynamicMetadata.Buffer,
     * Module.LoaderAllocator, Module.DynamicMetadata, Module.AvailableTypeParams,
     * Module.TypeDefToMethodTableMap, AppDomain.DomainAssemblyList, Assembly.Module,
     * ThreadStore.FirstThreadLink, ThreadStore.ThreadCount, Thread.LinkNext,
     * Thread.OSId, ParamTypeDesc.TypeArg. */
    {
        .major = 8,
        .source = "8.0.3126.42015",
        .app_domain = 21,
        .thread_store = 16,
        .free_object = 54,
        .json =
            "{\"types\":{\"MethodTable\":{\"!\":64,\"MTFlags\":0,\"BaseSize\":4,"
            "\"MTFlags2\":8,\"ParentMethodTable\":16,\"Module\":24,"
            "\"EEClassOrCanonMT\":40,\"PerInstInfo\":48,\"MTToken\":10,"
            "\"NumVirtuals\":12},\"EEClass\":{\"MethodTable\":16,\"FieldDescList\":24,"
            "\"InternalCorElementType\":48,\"BaseSizePadding\":51,\"FieldsArePacked\":49,"
            "\"PackedFields\":50},\"GenericsDictInfo\":{\"NumDicts\":4,"
            "\"NumTypeArgs\":6},\"Module\":{\"LoaderAllocator\":248,"
            "\"DynamicMetadata\":1688,\"AvailableTypeParams\":968,"
            "\"TypeDefToMethodTableMap\":752,\"TypeRefToMethodTableMap\":8,"
            "\"PEAssembly\":272,\"Assembly\":296,\"DomainLocalModule\":1224,"
            "\"ModuleIndex\":1232,\"DynamicEntries\":1280,\"DynamicStaticsInfo\":1296},"
            "\"ModuleLookupMap\":{\"Next\":0,\"TableData\":8,\"Count\":16,"
            "\"SupportedFlagsMask\":24},\"EETypeHashTable\":{\"Buckets\":16,"
            "\"VolatileEntryValue\":0,\"VolatileEntryNextEntry\":8},\"AppDomain\":{"
            "\"DomainAssemblyList\":2544},\"ArrayListBase\":{\"Count\":0,"
            "\"FirstBlock\":8},\"ArrayListBlock\":{\"Next\":0,\"Size\":8,"
            "\"ArrayStart\":16},\"Assembly\":{\"Module\":24},\"ThreadStore\":{"
            "\"FirstThreadLink\":160,\"ThreadCount\":184},\"Thread\":{\"LinkNext\":232,"
            "\"OSId\":424,\"AllocContext\":88,\"ThreadLocalBlock\":1080},"
            "\"GCAllocContext\":{\"Pointer\":0,\"Limit\":8},\"TypeDesc\":{"
            "\"TypeAndFlags\":0},\"ParamTypeDesc\":{\"TypeArg\":8},\"DynamicMetadata\":{"
            "\"Size\":0,\"Buffer\":16},\"PEAssembly\":{\"PEImage\":8},\"PEImage\":{"
            "\"Path\":16,\"FlatLayout\":112,\"LoadedLayout\":120},\"PEImageLayout\":{"
            "\"Base\":8},\"DomainLocalModule\":{\"DynamicClassTable\":8,"
            "\"DynamicEntries\":16,\"GCStatics\":32,\"DataBlob\":48},"
            "\"ThreadLocalModule\":{\"DynamicClassTable\":0,\"DynamicEntries\":8,"
            "\"GCStatics\":16,\"DataBlob\":24},\"LoaderAllocator\":{"
            "\"ObjectHandle\":976},\"ThreadLocalBlock\":{\"TLMTable\":0,"
            "\"TLMTableSize\":8}},\"globals\":{},\"contracts\":{}}",
        /* Found in dumps of 8.0.31 by what they lead to; EEClass as in .NET 9. */
        .elsewhere =
            {
                {MACHINE_WINDOWS, 55,
                 "{\"types\":{\"EEClass\":{\"InternalCorElementType\":64,"
                 "\"BaseSizePadding\":67,\"FieldsArePacked\":65,\"PackedFields\":66},"
                 "\"Module\":{\"LoaderAllocator\":152,\"DynamicMetadata\":1016,"
                 "\"AvailableTypeParams\":584,\"TypeDefToMethodTableMap\":368,"
                 "\"PEAssembly\":176,\"Assembly\":200,\"DomainLocalModule\":744,"
                 "\"ModuleIndex\":752,\"DynamicEntries\":800,"
                 "\"DynamicStaticsInfo\":816},\"AppDomain\":{"
                 "\"DomainAssemblyList\":1208},\"ThreadStore\":{"
                 "\"FirstThreadLink\":64,\"ThreadCount\":88},\"Thread\":{"
                 "\"LinkNext\":248,\"OSId\":440,\"AllocContext\":88,"
                 "\"ThreadLocalBlock\":1120},\"LoaderAllocator\":{"
                 "\"ObjectHandle\":880}}}"},
            },
    },
};

const size_t runtime_table_count = sizeof(runtime_tables) / sizeof(runtime_tables[0]);

const struct runtime_table *runtime_table_of(unsigned major)
{
    for (size_t i = 0; i < runtime_table_count; i++)
        if (runtime_tables[i].major == major)
            return &runtime_tables[i];
    return NULL;
}

const struct runtime_elsewhere *runtime_table_on(const struct runtime_table *t,
                                                 const struct processor *p)
{
    static const struct runtime_elsewhere same = {MACHINE_X86_64, 0, "{\"types\":{}}"};
    const size_t count = sizeof(t->elsewhere) / sizeof(t->elsewhere[0]);
    for (size_t i = 0; i < count; i++)
        if (t->elsewhere[i].machine == p->machine)
            return &t->elsewhere[i];
    return p->machine == MACHINE_X86_64 ? &same : NULL;
}
