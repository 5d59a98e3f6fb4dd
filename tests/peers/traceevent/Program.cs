// The heap walks of a trace, as Microsoft's library reads them: objects, bytes, references.
using System;
using Microsoft.Diagnostics.Tracing;

long objects = 0, bytes = 0, references = 0;
using var source = new EventPipeEventSource(args[0]);
source.Clr.GCBulkNode += e =>
{
    for (int i = 0; i < e.Count; i++)
    {
        var node = e.Values(i);
        objects++;
        bytes += (long)node.Size;
        references += node.EdgeCount;
    }
};
source.Process();
Console.WriteLine($"{objects} {bytes} {references} {source.EventsLost}");
