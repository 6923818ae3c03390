package import Schema
package import Storage

/// The way from one version of a model to another, in as few inferred steps as possible.
package enum MigrationChain {
    /// - Parameter versions: What may stand in between, in any order.
    /// - Returns: one plan if the step can be inferred by itself; none where the two versions are compatible.
    /// - Throws: ``MigrationError`` `notInferable` with what keeps the single step from being inferred, where no chain leads there either.
    ///
    /// Cost: one inference, or where that fails at most one for every pair of versions.
    package static func plans(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, through versions: [ManagedObjectModel] = []
    ) throws(MigrationError) -> [MigrationPlan] {
        if destination.isCompatible(withVersionHashes: source.versionHashesByEntityName) { return [] }
        let direct: MigrationError
        do {
            return [try MigrationPlan.inferred(from: source, to: destination)]
        } catch {
            direct = error
        }
        var waiting: [(model: ManagedObjectModel, plans: [MigrationPlan])] = [(source, [])]
        var rest = versions.filter { version in
            let hashes = version.versionHashesByEntityName
            return !source.isCompatible(withVersionHashes: hashes) && !destination.isCompatible(withVersionHashes: hashes)
        }
        // The breadth first, so that the first way that is found has the fewest steps.
        while !waiting.isEmpty {
            let (model, plans) = waiting.removeFirst()
            if !plans.isEmpty, let last = try? MigrationPlan.inferred(from: model, to: destination) { return plans + [last] }
            var beyond: [ManagedObjectModel] = []
            for version in rest {
                if let step = try? MigrationPlan.inferred(from: model, to: version) { waiting.append((version, plans + [step])) } else { beyond.append(version) }
            }
            rest = beyond
        }
        throw direct
    }
}
