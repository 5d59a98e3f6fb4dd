// MSTest's words for what the shared tests say. All tests run in parallel.
global using Row = Microsoft.VisualStudio.TestTools.UnitTesting.DataRowAttribute;
global using Checks = Microsoft.VisualStudio.TestTools.UnitTesting.TestMethodAttribute;
global using Check = Microsoft.VisualStudio.TestTools.UnitTesting.TestMethodAttribute;
global using Suite = Microsoft.VisualStudio.TestTools.UnitTesting.TestClassAttribute;
using Microsoft.VisualStudio.TestTools.UnitTesting;

[assembly: Parallelize(Workers = 0, Scope = ExecutionScope.MethodLevel)]
