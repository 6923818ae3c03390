import Merging
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import SQLiteKit

/// Opens a document after a crash as anybody would, and says what is wrong.
struct Oracle: Sendable {
    let place: Place
    let form: DocumentForm
    /// What may be found, by document.
    let expectations: [String: Expectation]
    /// Whether autosaved work is given up, so that the saved state shows, or kept.
    let discards: Bool
    /// Whether what lies in the state folder does not count, where the working sets of archives
    /// are.
    var ignoresState = false
    /// How many versions A must have at least.
    var versions = 0
    /// Whether another document was merged into A.
    var merges = false

    /// Lines that begin with the kind of failure: `lost`, `unopenable`, `half`, `damaged`, `stray`.
    func findings() async -> [String] {
        var findings: [String] = []
        for (name, expectation) in expectations.sorted(by: { $0.key < $1.key }) {
            findings += await check(name, expectation)
        }
        do {
            findings += try place.strays(besides: Array(expectations.keys)).filter {
                !ignoresState || !$0.hasPrefix("state/")
            }.map { "stray \($0)" }
        } catch {
            findings.append("stray unknown: \(error)")
        }
        return findings
    }

    private func check(_ name: String, _ expectation: Expectation) async -> [String] {
        let url = place.url(name)
        do {
            if try !isThere(name) {
                guard
                    expectation.current.contains(Expectation.missing) || expectation.saved.contains(Expectation.missing)
                else { return ["lost \(name): gone"] }
                // Whoever makes it now finds nothing in the way, and takes away what lies about.
                try await PersistentDocument.create(at: url, model: Notes.model(), form: form).close()
                return try verified(name)
            }
            let reader = try await PersistentDocument.open(url, mode: .reading)
            let seen = try Notes.read(reader)
            let versions = try reader.kind == .package ? reader.versions() : []
            try await reader.close()
            if name == "A", versions.count < self.versions {
                return ["lost \(name): \(versions.count) versions, not \(self.versions)"]
            }
            guard expectation.current.contains(seen) else {
                return ["lost \(name): a reader sees state \(seen), not \(expectation.current.sorted())"]
            }

            let document = try await PersistentDocument.open(url, recovery: discards ? .discard : .keep)
            let state = try Notes.read(document), allowed = discards ? expectation.saved : [seen]
            guard allowed.contains(state) else {
                return ["lost \(name): an editor sees state \(state), not \(allowed.sorted())"]
            }
            let conflicts = merges ? try await self.conflicts(document) : []
            guard let conflicts else { return ["lost \(name): the conflicts of a merge that is noted"] }
            try Notes.write(99, to: document)
            try await document.save()
            try await document.close()
            let again = try await PersistentDocument.open(url)
            guard try Notes.read(again) == 99 else { return ["lost \(name): the next save"] }
            if try await again.undecidedConflicts().map(\.name) != conflicts
                || (try DocumentInfo(of: url).undecidedConflicts != conflicts.count)
            {
                return ["lost \(name): the conflicts \(conflicts) after the next save"]
            }
            try await again.close()
            return try verified(name)
        } catch let error as Notes.Half {
            return ["half \(name): \(error)"]
        } catch {
            return ["unopenable \(name): \(error)"]
        }
    }

    /// The conflicts that a document keeps; nil if the other document counts as merged and they are
    /// not there.
    private func conflicts(_ document: PersistentDocument) async throws -> [String]? {
        let listed = try await document.undecidedConflicts().map(\.name)
        guard listed.isEmpty else { return listed }
        do {
            return try await document.merge(place.theirs).undecided.isEmpty ? nil : []
        } catch let error as DocumentError where error.code == .notFound {
            // No state is known that both came from.
            return []
        }
    }

    /// Gets every version that is kept, byte by byte, and throws it away.
    private func restoreVersions(_ name: String) throws {
        guard try Disk.kind(of: place.path(name)) == .directory else { return }
        let versions = VersionStore(folder: place.path(name) + "/versions"), target = place.root + "/version"
        let connection = try Connection.openForReading(place.path(name) + "/store/store.sqlite")
        try connection.withFiles { files in
            for version in try versions.list() {
                try versions.restore(version.number, from: files, to: target)
                try Disk.removeFile(target)
            }
        }
    }

    /// Whether there is something to open, be it by finishing a replacement.
    private func isThere(_ name: String) throws -> Bool {
        try Disk.exists(place.path(name)) || Replacement.isInterrupted(place.path(name))
    }

    private func verified(_ name: String) throws -> [String] {
        try restoreVersions(name)
        return try DocumentVerifier.verify(place.url(name), isThorough: true).map { "damaged \(name): \($0)" }
    }
}
