// NUnit's words for what the shared tests say. All tests run in parallel.
global using Row = NUnit.Framework.TestCaseAttribute;
global using Checks = Shop.Tests.RowsOfAttribute;
global using Check = NUnit.Framework.TestAttribute;
global using Suite = NUnit.Framework.TestFixtureAttribute;
using NUnit.Framework;

[assembly: Parallelizable(ParallelScope.All)]

namespace Shop.Tests;

[AttributeUsage(AttributeTargets.Method)]
internal sealed class RowsOfAttribute : Attribute;
