// xUnit.net's words for what the shared tests say. Classes run in parallel, tests of one do not.
global using Row = Xunit.InlineDataAttribute;
global using Checks = Xunit.TheoryAttribute;
global using Check = Xunit.FactAttribute;

namespace Shop.Tests;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class SuiteAttribute : Attribute;
