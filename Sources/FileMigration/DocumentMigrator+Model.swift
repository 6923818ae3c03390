internal import DocumentFiles
package import Migration
internal import Schema

extension DocumentMigrator {
    /// The one mapping model of a migration; nil to infer it.
    package var mapping: MappingModel? {
        get { mappings.first }
        set { mappings = newValue.map { [$0] } ?? [] }
    }

    var wantedModelName: String {
        modelName.flatMap { PackageLayout.isModelName($0) ? $0 : nil } ?? PackageBuilder.name(for: model)
    }

    /// Writes the new model into the package, under the name that the migration gives it. A
    /// document that was restored to a state before an earlier migration may have it.
    func writeModel(in package: String, _ session: DocumentSession) throws -> AddedModel {
        let wanted = wantedModelName
        let old = try session.place.modelNames()
        if old.contains(wanted),
            let known = try session.place.model(fitting: model.versionHashesByEntityName, likely: wanted),
            known.name == wanted, known.model == model
        {
            return AddedModel(name: wanted, others: old.filter { $0 != wanted }, written: nil)
        }
        let name = try ModelFolder.write(model, named: wanted, to: package, besides: old)
        return AddedModel(name: name, others: old, written: ModelFolder(name, in: package))
    }
}
