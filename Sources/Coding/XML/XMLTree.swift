package import Foundation

/// An XML element with its whole content, for documents that are parsed as a tree.
package struct XMLTree: Equatable, Sendable {
    package var name: String
    package var attributes: [XMLAttribute]
    package var children: [XMLTree]
    /// The text of the element without the text of its children.
    package var text: String

    package init(_ name: String, _ attributes: [XMLAttribute] = [], children: [XMLTree] = [], text: String = "") {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// The value of the attribute `name`.
    package subscript(_ name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    /// The children with the name `name`.
    package func children(named name: String) -> [XMLTree] {
        children.filter { $0.name == name }
    }

    /// Parses a document; see `XMLReader` for rejected input.
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
                    // Only white space and comments may follow the root element. The reader throws
                    // for anything else.
                    while try reader.next() != nil {}
                    return done
                }
                stack[last].children.append(done)
            }
        }
        throw CodingError(.truncated, "no XML element")
    }
}
