/// How far an import, an export or a comparison is.
public struct TransferProgress: Sendable {
    /// The number of objects that were read, written or compared.
    public let objects: Int
    /// The number of all objects; nil if it is not known before the end.
    public let total: Int?
    /// The completed part of the work, from 0 to 1; nil for a comparison, whose end is not known.
    public let fraction: Double?

    package init(objects: Int, fraction: Double?) {
        self.objects = objects
        total = nil
        self.fraction = fraction.map { min(1, max(0, $0)) }
    }

    package init(objects: Int, of total: Int) {
        self.objects = objects
        self.total = total
        fraction = total > 0 ? min(1, Double(objects) / Double(total)) : 1
    }
}
