import Foundation
import ObjectGraph
import Query
import Testing

/// What holds a context is released by several threads at once, as when a background task of a
/// document ends while its owner gives up live results.
struct ReleaseTests {
    private final class Holder: @unchecked Sendable {
        // Sendable by proof: each holder is used by one thread, after it was given to that.
        var held: AnyObject?
        init(_ held: AnyObject) { self.held = held }
    }

    @Test func liveResultsAndTheirContextAreReleasedByTwoThreads() throws {
        for _ in 0..<200 {
            let context: Holder, results: Holder
            do {
                let library = try Library()
                for number in 0..<50 { try library.book("\(number)") }
                try library.context.save()
                var request = FetchRequest<ManagedObject>(entityName: "Book")
                request.sortDescriptors = [SortKey("title")]
                let controller = FetchedResultsController(
                    fetchRequest: request, managedObjectContext: library.context)
                try controller.performFetch()
                (context, results) = (Holder(library.context), Holder(controller))
            }
            let start = DispatchSemaphore(value: 0), end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                start.wait()
                context.held = nil
                end.signal()
            }
            start.signal()
            results.held = nil
            end.wait()
        }
    }
}
