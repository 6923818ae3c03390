import Coding
import Foundation
import Testing

struct XMLTests {
    private func tree(_ text: String) throws -> XMLTree { try XMLTree.read(Data(text.utf8)) }

    @Test func elementsAttributesAndTextAreRead() throws {
        let root = try tree(
            """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <!-- a comment with <tags> -->
            <!DOCTYPE model SYSTEM "file:///nowhere.dtd">
            <model name='a "b"' note="x&#10;y &lt;&amp;&#x20AC;">
                <child/><child key = "1" >te<!-- x -->xt<![CDATA[ <raw> & ]]></child>
            </model>
            """)
        #expect(root.name == "model")
        #expect(root["name"] == "a \"b\"")
        #expect(root["note"] == "x\ny <&€")
        #expect(root.children(named: "child").map(\.text) == ["", "text <raw> & "])
        #expect(root.children[1]["key"] == "1")
    }

    @Test func whatIsWrittenComesBack() throws {
        let root = XMLTree(
            "a", [XMLAttribute(name: "k", value: "1 < 2 & \"3\"\n\t\r'")],
            children: [XMLTree("b", text: "x < y & z\r\n"), XMLTree("c")])
        let read = try XMLTree.read(try root.write())
        #expect(read.attributes == root.attributes)
        #expect(read.children == root.children)
        #expect(throws: CodingError.self) { try XMLTree("a", text: "\u{1}").write() }
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "<a/><b/>", "<a b=1/>", "<a b='1' b='2'/>", "<a>&nope;</a>", "<a>&#0;</a>",
        "<a b='<'/>", "<a", "<a b='",
        "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<a><![CDATA[</a>", "<a>&amp</a>", "<a/>x",
        "<?xml version='1.0' encoding='UTF-16'?><a/>",
        "<a b='1'c='2'/>", "</a>", "<a/><!DOCTYPE a>",
    ])
    func brokenDocumentsAreRefused(text: String) {
        #expect(throws: CodingError.self) { try tree(text) }
    }

    @Test func depthIsBounded() throws {
        func nested(_ count: Int) -> String {
            String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
        }
        _ = try tree(nested(256))
        #expect(#expect(throws: CodingError.self) { try tree(nested(257)) }?.code == .tooDeep)
        #expect(
            #expect(throws: CodingError.self) { try XMLTree.read(Data([0x3C, 0x61, 0xFF, 0x3E])) }?.code == .malformed)
    }

    @Test func anElementHasAMeasuredNumberOfAttributes() throws {
        func element(_ count: Int) -> String {
            "<a " + (0..<count).map { "b\($0)='\($0)'" }.joined(separator: " ") + "/>"
        }
        #expect(try tree(element(128)).attributes.count == 128)
        let error = #expect(throws: CodingError.self) { try tree(element(129)) }
        #expect(error?.code == .tooMany)
    }
}
