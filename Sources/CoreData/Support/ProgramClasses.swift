import CSystem
import Foundation
import Synchronization

/// The classes of the program by their names, whether anything of them was used before or not.
///
/// Swift's runtime knows the classes of every image that is loaded; those are listed once, and
/// again after another image was loaded. Generic classes have no name that a model could use.
enum ProgramClasses {
    private struct Index: Sendable {
        /// The images that were there when the classes were listed.
        var images = 0
        /// The addresses of the descriptors by the classes' own names.
        var descriptors: [String: [UInt]] = [:]
    }

    private static let index = Mutex(Index())

    /// A class, and the module that it stands in at the top.
    struct Found {
        let type: AnyClass
        /// Nil for a class in another type or a function.
        let module: String?
    }

    /// The classes with a name, without their modules.
    static func named(_ name: String) -> [Found] {
        descriptors(name).compactMap { descriptor in
            guard let pointer = UnsafeRawPointer(bitPattern: descriptor), let metadata = folio_class_metadata(pointer)
            else { return nil }
            return Found(
                type: unsafeBitCast(metadata, to: AnyClass.self),
                module: folio_class_module(pointer).map { String(cString: $0) })
        }
    }

    /// A new instance of a class, made by its `init()`; nil for a class that can't be made so.
    ///
    /// Swift has no way to say that of a class whose initializers are not required.
    static func instance(of type: NSObject.Type) -> NSObject? {
        for descriptor in descriptors("NSObject") {
            guard let root = UnsafeRawPointer(bitPattern: descriptor), let metadata = folio_class_metadata(root),
                unsafeBitCast(metadata, to: AnyClass.self) == NSObject.self,
                let made = folio_new_instance(unsafeBitCast(type, to: UnsafeRawPointer.self), root)
            else { continue }
            return Unmanaged<NSObject>.fromOpaque(made).takeRetainedValue()
        }
        return nil
    }

    private static func descriptors(_ name: String) -> [UInt] {
        index.withLock { index in
            let images = folio_image_count()
            if index.images != images { index = Index(images: images, descriptors: listed()) }
            return index.descriptors[name] ?? []
        }
    }

    private static func listed() -> [String: [UInt]] {
        var all: [String: [UInt]] = [:]
        withUnsafeMutablePointer(to: &all) { all in
            folio_visit_classes(
                { descriptor, name, context in
                    guard let descriptor, let name, let context else { return }
                    context.assumingMemoryBound(to: [String: [UInt]].self)
                        .pointee[String(cString: name), default: []].append(UInt(bitPattern: descriptor))
                }, all)
        }
        return all
    }
}
