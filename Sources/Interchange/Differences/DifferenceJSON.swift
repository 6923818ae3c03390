import Coding
package import Folio

/// Writes the differences of two documents as one JSON object, as they are found.
package struct DifferenceJSON {
    private let sink: ByteSink
    private let showsObjects: Bool
    private var writer: JSONWriter

    /// - Parameter showsObjects: Whether the differences themselves are written; else only how many
    ///   there are.
    package init(_ sink: ByteSink, showsObjects: Bool = true) {
        self.sink = sink
        self.showsObjects = showsObjects
        writer = JSONWriter(sink)
    }

    package mutating func begin() {
        writer.beginObject()
        guard showsObjects else { return }
        writer.name("differences")
        writer.beginArray()
    }

    package mutating func add(_ difference: ObjectDifference) {
        guard showsObjects else { return }
        writer.beginObject()
        writer.name("change")
        writer.string(difference.change.rawValue)
        writer.name("object")
        writer.string(difference.object)
        writer.name("properties")
        writer.beginObject()
        for property in difference.properties {
            writer.name(property.name)
            writer.beginObject()
            if difference.change != .removed {
                writer.name("new")
                writer.property(property.new)
            }
            if difference.change != .added {
                writer.name("old")
                writer.property(property.old)
            }
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }

    package mutating func finish(
        _ counts: DifferenceCounts, models: (onlyOld: [String], onlyNew: [String]), isDifferent: Bool
    ) {
        if showsObjects { writer.endArray() }
        writer.name("entities")
        writer.beginObject()
        for (name, count) in counts.entities {
            writer.name(name)
            writer.value(
                .object(["added": .int(count.added), "changed": .int(count.changed), "removed": .int(count.removed)]))
        }
        writer.endObject()
        writer.name("isDifferent")
        writer.bool(isDifferent)
        writer.name("model")
        writer.value(.object(["added": .strings(models.onlyNew), "removed": .strings(models.onlyOld)]))
        writer.endObject()
        sink.write(0x0A)
    }
}
