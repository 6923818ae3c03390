import ArchiveKit
import Coding
import DocumentFiles
import FileSystem
import SQLiteKit
import Schema
import Storage
import TestSupport

extension Reader {
    /// - Returns: whether what was damaged was read all the same.
    /// - Throws: what is none of the errors that say what is wrong with a file.
    func run(_ dice: inout SplitMix) throws -> Bool {
        let seed = seeds[dice.below(seeds.count)]
        var bytes = seed
        if isText, dice.next() % 2 == 0 {
            bytes = Array(dice.withExtremes(String(decoding: seed, as: UTF8.self)).utf8)
        } else {
            bytes = dice.mutated(seed)
        }
        if dice.next() % 8 != 0 { bytes = mend(bytes) }
        do {
            try read(bytes)
            return true
        } catch is CodingError {
        } catch is ModelError {
        } catch is StorageError {
        } catch is DocumentError {
        } catch is ArchiveError {
        } catch is SQLiteError {
        } catch is FileSystemError {
        }
        return false
    }
}
