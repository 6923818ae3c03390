import Schema
import Storage

/// Finds the properties of the first version of a chain of migrations from which those of its last
/// version come.
struct FormerProperties {
    /// The origins over the whole chain.
    private let plan: MigrationPlan

    /// - Parameter plans: The chain. The last one is the plan that is checked.
    init(_ plans: [MigrationPlan], to last: MigrationPlan) { plan = MigrationPlan.composed(plans + [last]) ?? last }

    /// The former property of a property of the last version; nil if it is new.
    func property(_ property: PropertyDescription, of entity: EntityDescription) -> PropertyDescription? {
        plan.originIndex(entityIndex: entity.index, propertyIndex: property.index).flatMap { index in
            plan.steps[entity.index].map { plan.source.entities[$0.sourceIndex].properties[index] }
        }
    }

    /// The model of the first version.
    var model: ManagedObjectModel { plan.source }

    /// Whether entities were removed whose objects could be members of a relationship.
    func losesMembers(_ former: PropertyDescription) -> Bool {
        model.entities[former.destinationIndex].family.contains { plan.destinationIndices[$0] == nil }
    }
}
