public import Foundation
import Schema

/// A property whose value is the result of a fetch request.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    private var property = FetchedPropertyDescription("", fetchRequest: FetchRequestTemplate("", entityName: ""))
    private var request: NSFetchRequest<any NSFetchRequestResult>?

    /// Creates a description without a request.
    public override init() { super.init() }

    /// - Throws: Errors of a request that can't be parsed.
    init(_ property: FetchedPropertyDescription) throws {
        self.property = property
        request = property.fetchRequest.entityName.isEmpty ? nil : try NSFetchRequest(property.fetchRequest)
        super.init()
    }

    open override var versionHash: Data { property.versionHash }

    override func take(_ other: NSPropertyDescription) {
        super.take(other)
        request = (other as? NSFetchedPropertyDescription)?.request
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSFetchedPropertyDescription()
        copyCommon(to: copy)
        copy.property = property
        copy.request = request?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        return copy
    }

    override var declaration: any PropertyDeclaration {
        get { property }
        set { if let newValue = newValue as? FetchedPropertyDescription { property = newValue } }
    }

    /// The description with the request as it is now.
    ///
    /// - Throws: `QueryError` for a request with a closure, which no model can keep.
    func named() throws -> FetchedPropertyDescription {
        var property = property
        property.fetchRequest =
            try request?.template(named: property.fetchRequest.name) ?? FetchRequestTemplate("", entityName: "")
        return property
    }

    /// The request; its variable `$FETCH_SOURCE` is the object that has the property.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { request }
        set {
            willEdit()
            request = newValue
        }
    }
}
