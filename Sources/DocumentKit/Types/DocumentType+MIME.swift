internal import DocumentFiles

extension DocumentType {
    /// The description of document types for Linux desktops: a file for the shared MIME-info
    /// database of freedesktop.org.
    ///
    /// Write it to `~/.local/share/mime/packages/<application>.xml` and run
    /// `update-mime-database ~/.local/share/mime`. File managers then recognize archives of these
    /// types, also by content. Packages are folders, which the database does not distinguish by
    /// name; desktops show them as folders.
    public static func sharedMimeInfo(for types: [DocumentType]) -> String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">"#,
        ]
        for type in types {
            lines += entry(type.mimeType, comment: type.name, extensions: type.extensions, isBase: false)
        }
        lines += entry(baseType, comment: "Folio document", extensions: ["folio", "folioz"], isBase: true)
        lines.append("</mime-info>")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The media type of Folio archives of all applications.
    static let baseType = PackageLayout.archiveType

    /// The entry of one type. The base type is the parent of all others, so that programs for Folio
    /// documents are offered for them, too. The first entry of an archive is `mimetype`, stored
    /// without compression, so that the media type is at a fixed offset.
    private static func entry(_ type: String, comment: String, extensions: [String], isBase: Bool) -> [String] {
        var lines = [#"  <mime-type type="\#(escaped(type))">"#, "    <comment>\(escaped(comment))</comment>"]
        lines.append(#"    <sub-class-of type="\#(isBase ? "application/zip" : baseType)"/>"#)
        if isBase {
            lines += [
                #"    <magic priority="60">"#,
                #"      <match type="string" offset="0" value="PK\003\004">"#,
                #"        <match type="string" offset="30" value="mimetype">"#,
                #"          <match type="string" offset="38" value="\#(baseType)"/>"#,
                "        </match>", "      </match>", "    </magic>",
            ]
        }
        lines += extensions.map { #"    <glob pattern="*.\#(escaped($0))"/>"# }
        lines.append("  </mime-type>")
        return lines
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // These characters are not allowed in XML, even escaped.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}": break
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
