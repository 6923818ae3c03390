public import Schema

extension DocumentMerge {
    /// Changes of both sides that contradict each other.
    public struct Conflict: Sendable {
        /// What contradicts what.
        public enum Kind: String, Sendable, CaseIterable {
            /// Both sides gave a property different values.
            case values
            /// One side has deleted an object that the other has changed, or that something new of
            /// the other leads to.
            case deletedChanged = "deleted-changed"
            /// Objects of both sides have the same values of a uniqueness constraint.
            case unique
            /// What both sides did together violates a rule of the model.
            case rule
        }

        /// What contradicts what.
        public var kind: Kind
        /// The object as `Book/p7`, with its primary key in the merged document.
        public var object: String
        /// The property; a part of a composite attribute as `address.city`, the attributes of a
        /// constraint as `first,last`. Nil for an object as a whole.
        public var property: String?
        /// The value in the base; `.null` without one.
        public var base: PropertyValue
        /// The value of this side. Relationships have `.object` or a `.list` of `.object`.
        public var ours: PropertyValue
        /// The value of the other side.
        public var theirs: PropertyValue
        /// Other objects that are part of the conflict.
        public var others: [String] = []
        /// The rule that is violated.
        public var message: String?
        /// What decided the conflict; nil if nothing did.
        public var choice: Choice?

        package init(
            kind: Kind, object: String, property: String?, base: PropertyValue, ours: PropertyValue,
            theirs: PropertyValue, others: [String] = [], message: String?, choice: DocumentMerge.Choice?
        ) {
            self.kind = kind
            self.object = object
            self.property = property
            self.base = base
            self.ours = ours
            self.theirs = theirs
            self.others = others
            self.message = message
            self.choice = choice
        }

        /// What the conflict is called by in ``Decisions/choices``: `Book/p7.title`, or `Book/p7`
        /// for an object as a whole.
        public var name: String { Self.name(object, property) }

        /// Why a value can't decide the conflict; nil if it can.
        package func objectionToValue(_ model: ManagedObjectModel) -> String? {
            switch kind {
            case .deletedChanged:
                return "\(name) is an object that one side has deleted: decide it by ours or theirs"
            case .unique, .rule: return "\(name) violates a rule: no value decides it, but ours or theirs"
            case .values:
                let entity = model.entity(named: String(object.prefix { $0 != "/" }))
                let property = property.flatMap { entity?.property(named: String($0.prefix { $0 != "." })) }
                return property?.relationship == nil
                    ? nil : "\(name) is a relationship: decide it by ours or theirs, or edit the objects"
            }
        }

        package static func name(_ object: String, _ property: String?) -> String {
            property.map { "\(object).\($0)" } ?? object
        }
    }
}
