import Folio
import Foundation

/// Writes the bytes of an attribute of many objects to a folder: `folio extract DOC ENTITY.KEY -o
/// FOLDER`.
enum FolderExtraction {
    static func run(_ arguments: ParsedArguments, to folder: String, _ console: Console) async throws -> ExitCode {
        let path = arguments.operands[0], word = arguments.operands[1]
        let parts = word.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, !ObjectName.isName(word) else {
            throw InterchangeError.usage(
                "\(word) names no attribute",
                hint: "folio extract DOC Entity/p1 KEY -o FILE, or DOC ENTITY.KEY -o FOLDER")
        }
        if folder == "-" { throw InterchangeError.usage("the files of many objects need a folder: -o FOLDER") }
        try await DocumentReader.reading(path, model: arguments.value("--model"), console) { reader in
            let entity = try EntityLookup.entity(named: parts[0], in: reader.model)
            _ = try BinaryKey.attribute(parts[1], of: entity, takesTransformables: true)
            let name = try arguments.value("--name").map { path in
                guard try EntityLookup.attribute(atKeyPath: path, of: entity, in: reader.model) != nil else {
                    throw InterchangeError.usage("--name \(path): files are named by attributes")
                }
                return try CompiledExpression(
                    QueryExpression(format: path).validated(
                        against: entity, in: reader.model, store: reader.store.identity
                    ).expression, entity: entity, model: reader.model)
            }
            let values = try VariableValues(arguments), conditions = arguments.all("--where")
            try values.checkUse(ObjectSelection.variables(conditions))
            let objects = try reader.context.fetch(
                ObjectSelection.request(entity.name, where: conditions, with: values, in: reader.store.identity))
            do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
                throw InterchangeError(
                    .cannotCreate, "notWritten", "the folder can't be made: \(error.localizedDescription)", path: folder
                )
            }
            var taken: Set<String> = [], files: [JSONValue] = [], bytes = 0
            for object in objects {
                try console.interruption.check()
                let value = try object.propertyValue(forKey: parts[1])
                if value.isNull { continue }
                let label = "\(object.entity.name)/p\(object.objectID.key)"
                let reading = try ExtractCommand.value(of: value, "\(label) \(parts[1])", path: path)
                let start = try ExtractCommand.value(of: value, label, path: path).read(upTo: 64) ?? Data()
                var text: String?
                if let name, case .scalar(let found) = try name.value(for: object) { text = ValueText.plain(found) }
                let file = fileName(text, object, start, &taken)
                let target = URL(fileURLWithPath: folder).appendingPathComponent(file).path
                if !arguments.has(OptionSpecification.force), FileManager.default.fileExists(atPath: target) {
                    throw InterchangeError(
                        .cannotCreate, "exists", "it is there already", path: target, hint: "--force replaces it")
                }
                let output = try OutputFile(
                    path: target, of: arguments.sources(of: ExtractCommand.specification),
                    registry: console.interruption)
                let count = try ExtractCommand.write(reading, to: output.sink)
                try output.finish()
                console.hasWritten = true
                bytes += count
                files.append(
                    .object([
                        "object": .string(object.objectID.description), "bytes": .int(count), "path": .string(target),
                    ]))
            }
            if console.isJSON {
                console.print(.object(["key": .string(parts[1]), "count": .int(files.count), "files": .array(files)]))
            } else {
                console.say("wrote \(files.count) file\(files.count == 1 ? "" : "s"), \(bytes) bytes")
            }
        }
        return .done
    }

    /// A name that no other file of this run has, and that any file system takes.
    private static func fileName(
        _ text: String?, _ object: ManagedObject, _ start: Data, _ taken: inout Set<String>
    ) -> String {
        var name = String(
            (text ?? "").map { character in
                let isUnsafe =
                    character == "/" || character == "\\" || character == ":"
                    || character.unicodeScalars.contains {
                        $0.value < 0x20 || $0.value == 0x7F || "*?\"<>|".unicodeScalars.contains($0)
                    }
                return isUnsafe ? "_" : character
            })
        while let last = name.last, last == " " || last == "." { name.removeLast() }
        while let first = name.first, first == " " || first == "." || first == "-" { name.removeFirst() }
        while name.utf8.count > 180 { name.removeLast() }
        if name.isEmpty { name = "\(object.entity.name)-p\(object.objectID.key)" }
        var suffix = ""
        if let dot = name.lastIndex(of: "."), (2...6).contains(name.distance(from: dot, to: name.endIndex)),
            name[dot...].dropFirst().allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        {
            suffix = String(name[dot...])
            name = String(name[..<dot])
        } else {
            suffix = "." + fileExtension(start)
        }
        var number = 1, unique = name + suffix
        // Some file systems take names for one that differ in case or in composition.
        while !taken.insert(unique.lowercased().precomposedStringWithCanonicalMapping).inserted {
            number += 1
            unique = "\(name)-\(number)\(suffix)"
        }
        return unique
    }

    /// The usual extension of content, by its first bytes.
    private static func fileExtension(_ start: Data) -> String {
        let bytes = [UInt8](start)
        func has(_ text: String, at place: Int = 0) -> Bool {
            bytes.dropFirst(place).starts(with: text.utf8)
        }
        switch true {
        case bytes.starts(with: [0xFF, 0xD8, 0xFF]): return "jpg"
        case bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]): return "png"
        case has("GIF8"): return "gif"
        case has("%PDF"): return "pdf"
        case has("RIFF") && has("WEBP", at: 8): return "webp"
        case has("RIFF") && has("WAVE", at: 8): return "wav"
        case has("ftyphei", at: 4) || has("ftypmif1", at: 4): return "heic"
        case has("ftypavif", at: 4): return "avif"
        case has("ftypM4A", at: 4): return "m4a"
        case has("ftypqt", at: 4): return "mov"
        case has("ftyp", at: 4): return "mp4"
        case bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]): return "tiff"
        case has("BM") && bytes.count > 14: return "bmp"
        case has("ID3") || bytes.starts(with: [0xFF, 0xFB]): return "mp3"
        case has("PK\u{3}\u{4}"): return "zip"
        case has("bplist"): return "plist"
        case has("<svg"): return "svg"
        default: return "bin"
        }
    }
}
