internal import Coding
internal import Foundation
internal import Schema

/// Determines the kind of a model file or directory, and finds its versions.
struct ModelFileFinder {
    private(set) var kind: ModelFile.Kind
    /// The file of each version.
    private(set) var files: [String: URL] = [:]
    private(set) var current: String?
    private(set) var recordedHashes: [String: [String: Data]] = [:]

    /// The maximum size of a model file. It is far above any real model and small enough to read at
    /// once.
    private static let maximumSize = 64 << 20

    init(_ url: URL) throws(ModelError) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ModelError(.notFound, "There is no such file", path: url.path)
        }
        let name = url.deletingPathExtension().lastPathComponent
        guard isDirectory.boolValue else {
            kind = try Self.isCompiled(url) ? .compiled : .source
            // The file inside an `.xcdatamodel` has a fixed name; the directory has the name of the
            // version.
            let isInner = kind == .source && ["contents", "elements"].contains(url.lastPathComponent)
            files = [isInner ? url.deletingLastPathComponent().deletingPathExtension().lastPathComponent : name: url]
            return
        }
        if let file = Self.source(in: url) {
            kind = .source
            files = [name: file]
            return
        }
        let children = try Self.children(of: url)
        for child in children {
            if let file = Self.source(in: child) { files[child.deletingPathExtension().lastPathComponent] = file }
        }
        guard files.isEmpty else {
            kind = .versionedSource
            try readCurrentVersion(url.appendingPathComponent(".xccurrentversion"))
            return
        }
        kind = .versionedCompiled
        for child in children where child.pathExtension == "mom" {
            files[child.deletingPathExtension().lastPathComponent] = child
        }
        guard !files.isEmpty else { throw ModelError(.unreadable, "The directory holds no model", path: url.path) }
        try readVersionInfo(url.appendingPathComponent("VersionInfo.plist"))
    }

    /// Reads a file. Throws if it is not a regular file, or larger than any model.
    static func contents(of url: URL) throws(ModelError) -> Data {
        do {
            let values = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
            guard values[.type] as? FileAttributeType == .typeRegular else {
                throw ModelError(.unreadable, "Not a file", path: url.path)
            }
            guard let size = values[.size] as? Int, size <= maximumSize else {
                throw ModelError(.unreadable, "Too large for a model", path: url.path)
            }
            return try Data(contentsOf: url)
        } catch let error as ModelError {
            throw error
        } catch {
            throw failure(error, url)
        }
    }

    /// The error for a failure of the file system.
    private static func failure(_ error: any Error, _ url: URL) -> ModelError {
        let known = error as? CocoaError,
            system = ((known?.userInfo[NSUnderlyingErrorKey] ?? error) as? POSIXError)?.code
        let code: ModelError.Code =
            switch (known?.code, system) {
            case (.fileReadNoPermission, _), (_, .EACCES), (_, .EPERM): .permission
            case (.fileReadNoSuchFile, _), (_, .ENOENT), (_, .ENOTDIR), (_, .EISDIR), (_, .ELOOP), (_, .ENAMETOOLONG):
                .unreadable
            default: .inputOutput
            }
        let reason = system.map { String(cString: strerror($0.rawValue)) } ?? error.localizedDescription
        return ModelError(code, "It can't be read: \(reason)", path: url.path)
    }

    /// Compares names with numbers by value: “Model 2” precedes “Model 10”.
    static func precedes(_ left: String, _ right: String) -> Bool {
        switch left.compare(right, options: [.numeric, .caseInsensitive]) {
        case .orderedAscending: true
        case .orderedDescending: false
        case .orderedSame: left < right
        }
    }

    private static func isCompiled(_ url: URL) throws(ModelError) -> Bool {
        let data = try contents(of: url)
        if PropertyList.isBinary(data) {
            guard let name = try? KeyedArchive(data).root().className,
                name == "NSManagedObjectModel" || name == "XDPMModel"
            else {
                throw ModelError(.unreadable, "The archive holds no model", path: url.path)
            }
            return name == "NSManagedObjectModel"
        }
        guard data.prefix(4096).contains(UInt8(ascii: "<")),
            data.first.map({ $0 == UInt8(ascii: "<") || $0 == 0xEF || $0 <= 0x20 }) == true
        else {
            throw ModelError(.unreadable, "The file is no model", path: url.path)
        }
        return false
    }

    private static func source(in directory: URL) -> URL? {
        for name in ["contents", "elements"] {
            let file = directory.appendingPathComponent(name)
            var isDirectory: ObjCBool = false
            if FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory), !isDirectory.boolValue {
                return file
            }
        }
        return nil
    }

    private static func children(of url: URL) throws(ModelError) -> [URL] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted().map {
                url.appendingPathComponent($0)
            }
        } catch {
            throw failure(error, url)
        }
    }

    /// The file can be missing or empty; then no version is marked as current.
    private mutating func readCurrentVersion(_ url: URL) throws(ModelError) {
        guard let list = try Self.propertyList(url), let name = list[key: "_XCCurrentVersionName"]?.string else {
            return
        }
        current = name.hasSuffix(".xcdatamodel") ? String(name.dropLast(12)) : name
    }

    private mutating func readVersionInfo(_ url: URL) throws(ModelError) {
        guard let list = try Self.propertyList(url) else { return }
        current = list[key: "NSManagedObjectModel_CurrentVersionName"]?.string
        for (version, hashes) in list[key: "NSManagedObjectModel_VersionHashes"]?.dictionary ?? [:] {
            recordedHashes[version] = hashes.dictionary?.compactMapValues(\.data)
        }
    }

    private static func propertyList(_ url: URL) throws(ModelError) -> PropertyListValue? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            return try PropertyList.decode(try contents(of: url))
        } catch let error as CodingError {
            throw ModelError(.unreadable, "\(error)", path: url.path)
        } catch let error as ModelError {
            throw error
        } catch {
            throw ModelError(.unreadable, "\(error)", path: url.path)
        }
    }
}
