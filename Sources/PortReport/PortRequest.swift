/// What `folio-port` is asked for: `folio port` writes one as JSON.
public struct PortRequest: Codable, Sendable {
    /// The class of an entity of a model.
    public struct ModelClass: Codable, Sendable {
        /// Its name, without a module.
        public var name: String
        /// The class that it inherits from.
        public var superclass: String
        /// Whether the model leaves the class to be generated, so that no source declares it.
        public var isGenerated: Bool
        /// The names of its attributes and relationships.
        public var properties: [String]
        /// The names of its to-many relationships without an order.
        public var sets: [String]

        /// Creates a description of a class.
        public init(name: String, superclass: String, isGenerated: Bool, properties: [String], sets: [String]) {
            self.name = name
            self.superclass = superclass
            self.isGenerated = isGenerated
            self.properties = properties
            self.sets = sets
        }
    }

    /// The paths of the Swift files.
    public var paths: [String]
    /// The classes of the models that belong to them.
    public var classes: [ModelClass]

    /// Creates a request.
    public init(paths: [String], classes: [ModelClass]) {
        self.paths = paths
        self.classes = classes
    }
}
