import Coding
import Schema

/// The constant beginnings of the elements of an XML store.
enum XMLStoreTags {
    /// Ends before the digits of the object's number.
    static func object(_ entity: EntityDescription) -> String {
        "<object type=\"\(quoted(XMLStoreNames.name(of: entity)))\" id=\"z"
    }

    /// Ends before the closing bracket of the tag.
    static func attribute(_ name: String, _ type: String) -> String {
        "<attribute name=\"\(quoted(name))\" type=\"\(type)\""
    }

    /// Ends before the closing bracket of the tag.
    static func relationship(_ property: PropertyDescription, _ model: ManagedObjectModel) -> String {
        let destination = quoted(XMLStoreNames.name(of: model.entities[property.destinationIndex]))
        let name = quoted(XMLStoreNames.name(of: property))
        return
            "<relationship name=\"\(name)\" type=\"\(property.isToMany ? "0/0" : "1/1")\" destination=\"\(destination)\""
    }

    private static func quoted(_ name: String) -> String { (try? XMLTree.escape(name, isAttribute: true)) ?? name }
}
