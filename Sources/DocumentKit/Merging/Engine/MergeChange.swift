package import DocumentFiles

/// What one side of a merge did to an object since the base.
package struct MergeChange: Sendable {
    package struct Pair: Sendable {
        package var old: MergeValue
        package var new: MergeValue

        package init(_ old: MergeValue, _ new: MergeValue) {
            self.old = old
            self.new = new
        }
    }

    package var change: ObjectDifference.Change
    /// The properties that differ. Of an object that was added or removed, those with a value. Of
    /// two relationships that are inverse to each other, the links are told once, as
    /// ``DocumentComparison`` does.
    package var properties: [String: Pair]

    package init(_ change: ObjectDifference.Change, _ properties: [String: Pair]) {
        self.change = change
        self.properties = properties
    }

    func renamed(_ names: [MergeName: MergeName]) -> MergeChange {
        MergeChange(change, properties.mapValues { Pair($0.old.renamed(names), $0.new.renamed(names)) })
    }
}

/// What one side did, by object.
package typealias MergeSide = [MergeName: MergeChange]
