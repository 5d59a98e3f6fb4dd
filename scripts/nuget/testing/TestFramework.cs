// What a test framework offers a library: the running test's name, the folder of results,
// attachments, and exceptions that mean "skipped" and "failed". It knows nothing about heaps.
//
// No framework is a dependency. Each is found among the assemblies that are loaded already and
// used by reflection, so a trimmed program, or one without a framework, finds nothing: then there
// is no name, nothing is attached, and exceptions are ordinary ones. Nothing here throws.
//
// Tried with xUnit.net 2.9 and 3.2 to 4.0, NUnit 3.14 to 5, MSTest 2.2 to 4.5, TUnit 1.81.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;

namespace Heapdrift.Testing;

// xUnit.net counts an exception as a failed assertion, and not as an error of the test, by an
// interface of this name in any namespace.
internal interface IAssertionException
{
}

[UnconditionalSuppressMessage("Trimming", "IL2026", Justification = Reason)]
[UnconditionalSuppressMessage("Trimming", "IL2065", Justification = Reason)]
[UnconditionalSuppressMessage("Trimming", "IL2067", Justification = Reason)]
[UnconditionalSuppressMessage("Trimming", "IL2070", Justification = Reason)]
[UnconditionalSuppressMessage("Trimming", "IL2072", Justification = Reason)]
[UnconditionalSuppressMessage("Trimming", "IL2075", Justification = Reason)]
internal static class TestFramework
{
    private const string Reason = "a member that was trimmed away is one that is not found";

    private const string Platform = "Microsoft.Testing.Platform";

    private static readonly AsyncLocal<object?> given = new();

    // In this order where none has a running test: a project may load the assertions of another.
    private static readonly Framework[] frameworks =
        [new XunitV3(), new NUnit(), new MSTest(), new TUnit(), new XunitV2()];

    private static readonly HashSet<string> names =
        [Platform, .. frameworks.SelectMany(framework => framework.Assemblies)];

    private static readonly Dictionary<string, Assembly> loaded = [];
    private static int seen;

    // MSTest to 4.0 hands its TestContext to the test class and to nobody else, so the test
    // has to pass it on. Flows as an AsyncLocal does: into what the caller awaits, and not back.
    internal static object? Given
    {
        get => given.Value;
        set => given.Value = value;
    }

    internal static string? CurrentTest() => Ask(Running(), framework => framework.Test());

    // Some say where the tests' assembly is when nobody has told them another place.
    internal static string? ResultsFolder()
    {
        string? folder = Ask(Running(), framework => framework.Folder());
        return folder is null || Same(folder, AppContext.BaseDirectory) ? TestingPlatformFolder() : folder;
    }

    // The file has to stay where it is: NUnit, MSTest and TUnit copy or link it when the test or
    // the run is over. xUnit.net reads it at once.
    internal static bool Attach(string path, string description)
    {
        return File.Exists(path)
            && Ask(Running(), framework => framework.Attach(Path.GetFullPath(path), description) ? path : null) is not null;
    }

    internal static Exception Skipped(string reason) =>
        Made(Running(), framework => framework.Skipped(reason))
        ?? new InvalidOperationException($"inconclusive: {reason}");

    // The one whose test this is, else the first that is loaded.
    private static Framework? Running()
    {
        Framework? first = null;
        foreach (Framework framework in frameworks)
        {
            if (!framework.IsLoaded())
                continue;
            if (Ask(framework, found => found.Test()) is not null)
                return framework;
            first ??= framework;
        }
        return first;
    }

    // Whatever a framework throws when it is asked at a bad moment, or has changed since this was
    // written: a report must not be lost to it.
    private static string? Ask(Framework? framework, Func<Framework, string?> question)
    {
        try
        {
            return framework is not null && question(framework) is { Length: > 0 } answer ? answer : null;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return null;
        }
    }

    private static Exception? Made(Framework? framework, Func<Framework, Exception?> make)
    {
        try
        {
            return framework is not null ? make(framework) : null;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return null;
        }
    }

    private static bool Same(string folder, string other) =>
        Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder))
        == Path.TrimEndingDirectorySeparator(Path.GetFullPath(other));

    // xUnit.net does not say where results go. Microsoft.Testing.Platform, under which it runs as
    // a program of its own, has this option and this default; VSTest tells its hosts neither.
    private static string? TestingPlatformFolder()
    {
        const string option = "--results-directory";
        if (Loaded(Platform) is null)
            return null;
        string[] words = Environment.GetCommandLineArgs();
        for (int i = 1; i < words.Length; i++)
        {
            if (words[i] == option && i + 1 < words.Length)
                return FromTheStart(words[i + 1]);
            if (words[i].StartsWith(option + "=", StringComparison.Ordinal)
                || words[i].StartsWith(option + ":", StringComparison.Ordinal))
                return FromTheStart(words[i][(option.Length + 1)..]);
        }
        return Path.Combine(AppContext.BaseDirectory, "TestResults");
    }

    // NUnit and MSTest change the current folder to that of the tests; the shell's is in PWD.
    private static string FromTheStart(string folder)
    {
        string fromShell = Path.Combine(Environment.GetEnvironmentVariable("PWD") ?? "", folder);
        return Path.GetFullPath(Directory.Exists(fromShell) ? fromShell : folder);
    }

    // Only looked for again when more assemblies are loaded than the last time: their names cost.
    private static Assembly? Loaded(string name)
    {
        lock (loaded)
        {
            Assembly[] all = AppDomain.CurrentDomain.GetAssemblies();
            if (all.Length != seen)
                foreach (Assembly assembly in all)
                    if (!assembly.IsDynamic && assembly.GetName().Name is { } found && names.Contains(found))
                        loaded.TryAdd(found, assembly);
            seen = all.Length;
            return loaded.GetValueOrDefault(name);
        }
    }

    // One of them, with what it has in places of its own.
    private abstract class Framework(params string[] assemblies)
    {
        internal string[] Assemblies => assemblies;

        internal bool IsLoaded() => Array.Exists(assemblies, assembly => Loaded(assembly) is not null);

        // Full name with arguments; null outside of any test.
        internal abstract string? Test();

        internal virtual string? Folder() => null;

        internal virtual bool Attach(string path, string description) => false;

        internal virtual Exception? Skipped(string reason) => null;

        protected Type? Find(string type)
        {
            foreach (string assembly in assemblies)
                if (Loaded(assembly)?.GetType(type) is { } found)
                    return found;
            return null;
        }

        protected Exception? Make(string type, string message) =>
            Find(type) is { } found ? Activator.CreateInstance(found, message) as Exception : null;

        // "Shop.Tests.Closes" of a class and a name that may have the class in front already.
        protected static string? Full(object? type, object? test) =>
            test as string is not { Length: > 0 } word ? null
            : type as string is { Length: > 0 } prefix && !word.StartsWith(prefix + ".", StringComparison.Ordinal)
                ? $"{prefix}.{word}"
                : word;
    }

    private sealed class XunitV3() : Framework("xunit.v3.core")
    {
        private object? Context => Get(Find("Xunit.TestContext"), "Current");

        internal override string? Test() =>
            Full(Get(Get(Context, "TestClass"), "TestClassName"), Get(Get(Context, "Test"), "TestDisplayName"));

        // Kept with the result under its name, so the bytes travel to the runner. Outside of any
        // test xUnit.net takes it and drops it.
        // It keeps them in memory until the end of the run, so snapshots stay where they are.
        internal override bool Attach(string path, string description) =>
            Test() is not null
            && (Path.GetExtension(path) == ".gcdump" || Call(Context, "AddAttachment", Path.GetFileName(path), File.ReadAllBytes(path), true, MediaType(path)));

        // What Assert.Skip does; its own exception is in a package that a project may lack.
        internal override Exception Skipped(string reason) => new SkipException($"$XunitDynamicSkip${reason}");

        // xUnit.net appends what it takes for the type's extension: .bin, unless it knows the type.
        private static string MediaType(string path) => Path.GetExtension(path) switch
        {
            ".html" => "text/html",
            ".md" or ".txt" => "text/plain",
            _ => "application/octet-stream",
        };
    }

    // Has no test that a library could find, and no way to skip one that runs.
    private sealed class XunitV2() : Framework("xunit.core")
    {
        internal override string? Test() => null;
    }

    private sealed class NUnit() : Framework("nunit.framework")
    {
        private object? Context => Get(Find("NUnit.Framework.TestContext"), "CurrentContext");

        // Outside of any test it makes one up.
        internal override string? Test() =>
            Get(Get(Context, "Test"), "FullName") is string name
            && !name.Contains("+AdhocContext.", StringComparison.Ordinal) ? name : null;

        internal override string? Folder() => Get(Context, "WorkDirectory") as string;

        internal override bool Attach(string path, string description) =>
            Test() is not null && Call(Find("NUnit.Framework.TestContext"), "AddTestAttachment", path, description);

        internal override Exception? Skipped(string reason) => Make("NUnit.Framework.IgnoreException", reason);
    }

    private sealed class MSTest() : Framework("MSTest.TestFramework", "MSTest.TestFramework.Extensions",
        "Microsoft.VisualStudio.TestPlatform.TestFramework", "Microsoft.VisualStudio.TestPlatform.TestFramework.Extensions")
    {
        private const string Space = "Microsoft.VisualStudio.TestTools.UnitTesting.";

        private object? Context =>
            Find(Space + "TestContext") is { } type ? type.IsInstanceOfType(Given) ? Given : Get(type, "Current") : null;

        internal override string? Test() =>
            Full(Get(Context, "FullyQualifiedTestClassName"), Get(Context, "TestDisplayName") ?? Get(Context, "TestName"));

        internal override string? Folder() => Get(Context, "TestRunResultsDirectory") as string;

        internal override bool Attach(string path, string description) => Call(Context, "AddResultFile", path);

        internal override Exception? Skipped(string reason) => Make(Space + "AssertInconclusiveException", reason);
    }

    private sealed class TUnit() : Framework("TUnit.Core")
    {
        private object? Context => Get(Find("TUnit.Core.TestContext"), "Current");

        private object? Metadata => Get(Context, "Metadata");

        internal override string? Test() =>
            Full((Get(Get(Metadata, "TestDetails"), "ClassType") as Type)?.FullName, Get(Metadata, "DisplayName"));

        internal override string? Folder() => Get(Find("TUnit.Core.TestContext"), "ResultsDirectory") as string;

        internal override bool Attach(string path, string description) =>
            Call(Get(Context, "Output"), "AttachArtifact", path, Path.GetFileName(path), description);

        internal override Exception? Skipped(string reason) => Make("TUnit.Core.Exceptions.SkipTestException", reason);
    }

    private sealed class SkipException(string message) : Exception(message);

    // A property of a type, of an object, or of an interface that it implements explicitly.
    private static object? Get(object? of, string property)
    {
        const BindingFlags any = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        if (of is null)
            return null;
        Type type = of as Type ?? of.GetType();
        PropertyInfo? found = null;
        for (Type? at = type; at is not null && found is null; at = at.BaseType)
            found = at.GetProperty(property, any);
        foreach (Type part in found is null ? type.GetInterfaces() : [])
            found ??= part.GetProperty(property);
        return found?.GetValue(of is Type ? null : of);
    }

    private static bool Call(object? of, string method, params object[] arguments)
    {
        if (of is null)
            return false;
        Type type = of as Type ?? of.GetType();
        Type[] kinds = Array.ConvertAll(arguments, argument => argument.GetType());
        MethodInfo? found = type.GetMethod(method, kinds);
        foreach (Type part in found is null ? type.GetInterfaces() : [])
            found ??= part.GetMethod(method, kinds);
        found?.Invoke(of is Type ? null : of, arguments);
        return found is not null;
    }
}
