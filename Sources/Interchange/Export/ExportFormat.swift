/// The format of an export.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// One JSON object with all entities, the model's hashes and the store's UUID.
    case json
    /// One object a line, as JSON.
    case jsonLines = "jsonl"
    /// The objects of one entity, with a header.
    case csv
}
