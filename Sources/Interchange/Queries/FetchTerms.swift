/// What a fetch asks for, as text that a model gives its meaning.
package struct FetchTerms {
    package enum Subject {
        case entity(String)
        /// A fetch request of the model.
        case template(String)
    }

    package var subject: Subject
    /// Conditions, which all have to hold.
    package var conditions: [String] = []
    /// The values of the variables of conditions.
    package var values = VariableValues()
    package var sort: String?
    package var columns: String?
    package var groups: String?
    package var having: String?
    package var isDistinct = false
    package var offset = 0
    package var limit: Int?
    /// The document as hints name it.
    package var documentName = "DOC"

    package init(_ subject: Subject) { self.subject = subject }
}
