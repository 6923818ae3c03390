package import Foundation

/// An XML element with everything in it, for documents that are read whole.
package struct XMLTree: Equatable, Sendable {
    package var name: String
    package var attributes: [XMLAttribute]
    package var children: [XMLTree]
    /// The element's own characters, those of its children left out.
    package var text: String

    package init(_ name: String, _ attributes: [XMLAttribute] = [], children: [XMLTree] = [], text: String = "") {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// The value of the attribute called `name`.
    package subscript(_ name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    /// The children called `name`.
    package func children(named name: String) -> [XMLTree] {
        children.filter { $0.name == name }
    }

    /// Reads a document whole; see `XMLReader` for what is refused.
    package static func read(_ data: Data, limits: XMLReader.Limits = XMLReader.Limits(), elements: Int = 2_000_000)
        throws(CodingError) -> XMLTree
    {
        var reader = try XMLReader(data, limits: limits)
        var stack: [XMLTree] = []
        var count = 0
        while let event = try reader.next() {
            switch event {
            case .start(let name, let attributes):
                count += 1
                guard count <= elements else { throw CodingError(.tooMany, "more than \(elements) elements") }
                stack.append(XMLTree(name, attributes))
            case .text(let text):
                if let last = stack.indices.last { stack[last].text += text }
            case .end:
                guard let done = stack.popLast() else { throw CodingError(.malformed, "a closing tag too many") }
                guard let last = stack.indices.last else {
                    // What follows the root can only be space and comments; anything else is thrown
                    // here.
                    while try reader.next() != nil {}
                    return done
                }
                stack[last].children.append(done)
            }
        }
        throw CodingError(.truncated, "no XML element")
    }
}
