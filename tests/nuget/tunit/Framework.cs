// TUnit's words for what the shared tests say. All tests run in parallel.
global using Row = TUnit.Core.ArgumentsAttribute;
global using Checks = TUnit.Core.TestAttribute;
global using Check = TUnit.Core.TestAttribute;

namespace Shop.Tests;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class SuiteAttribute : Attribute;
