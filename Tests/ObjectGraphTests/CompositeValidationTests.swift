import Foundation
import ObjectGraph
import Schema
import Testing

/// The parts of composites are checked as attributes are.
@Suite("Validation of composites (V)")
struct CompositeValidationTests {
    let library: Library
    let context: ManagedObjectContext
    let camp: ManagedObject

    init() throws {
        var description = ManagedObjectModel.Definition()
        description.composites = [
            CompositeDescription(
                "Position",
                attributes: [
                    .init(
                        "latitude", .double, isOptional: false, minimumValue: .double(-90), maximumValue: .double(90)),
                    .init("grid", .string, regularExpression: "[A-Z]{2}"),
                    .init("name", .string, minimumValue: .int(2), maximumValue: .int(5)), .init("height", .integer16),
                    .init("survey", .composite, compositeName: "Survey"),
                ]),
            CompositeDescription(
                "Survey", attributes: [.init("error", .decimal, isOptional: false, maximumValue: .decimal(9))]),
        ]
        description.entities = [
            EntityDefinition(
                "Camp",
                attributes: [
                    .init("position", .composite, compositeName: "Position"),
                    .init("target", .composite, isOptional: false, compositeName: "Position"),
                ])
        ]
        library = try Library(model: ManagedObjectModel(description))
        context = library.context
        camp = try context.insert("Camp")
        camp["target"] = ["latitude": PropertyValue.double(0)]
    }

    private func failures() -> [ValidationError.Failure] {
        do {
            try context.save()
            return []
        } catch {
            return (error as? ValidationError)?.failures ?? []
        }
    }

    @Test func partsAreCheckedByTheirOwnRules_V9_V13_V15_V21() throws {
        let valid: [String: PropertyValue] = [
            "latitude": .double(90), "grid": .string("AB"), "name": .string("Ada"),
            "survey": .composite(["error": .decimal(9)]),
        ]
        for (key, value, code) in [
            ("latitude", .double(90.5), 1610), ("latitude", .int(-91), 1620), ("latitude", .null, 1570),
            ("grid", .string("abc"), 1680), ("name", .string("A"), 1670),
            ("name", .string("Adelaide"), 1660), ("height", .int(40_000), 1610),
        ] as [(String, PropertyValue, Int)] {
            camp["position"] = valid.merging([key: value]) { $1 }
            let failures = failures()
            #expect(failures.map(\.code.rawValue) == [code], "\(key)")
            #expect(failures.first?.key == "position.\(key)" && failures.first?.object == camp.objectID)
        }
        camp["position"] = valid
        #expect(failures().isEmpty)
    }

    @Test func aFailureNamesTheWayTheValueAndTheRule() throws {
        camp["position"] = ["latitude": PropertyValue.double(95), "survey": .composite(["error": .decimal(10)])]
        let failures = failures()
        #expect(failures.map(\.key) == ["position.latitude", "position.survey.error"])
        #expect(failures.map(\.value) == [.double(95), .decimal(10)])
        #expect(
            failures.map(\.message) == [
                "Camp.position.latitude is greater than 90", "Camp.position.survey.error is greater than 9",
            ])
    }

    @Test func ofACompositeThatIsNilItsOwnRuleAloneSpeaks() throws {
        camp["position"] = nil
        #expect(failures().isEmpty)
        camp["target"] = nil
        #expect(failures().map(\.key) == ["target"])
        camp["target"] = [String: PropertyValue]()
        #expect(failures().map(\.key) == ["target.latitude"])
    }
}

extension CompositeValidationTests {
    @Test func aDictionaryOfSwiftValuesIsAComposite() throws {
        camp["position"] = ["latitude": 1.5, "grid": nil, "survey": ["error": Decimal(2)]] as [String: Any?]
        #expect(
            try camp.propertyValue(forKey: "position")
                == .composite(["latitude": .double(1.5), "survey": .composite(["error": .decimal(2)])]))
        let height: Int? = nil
        camp["position"] = ["latitude": 2, "height": height as Any] as [String: Any]
        #expect(try camp.propertyValue(forKey: "position") == .composite(["latitude": .double(2)]))
        camp["position"] = ["latitude": 3.5]
        #expect(try camp.propertyValue(forKey: "position") == .composite(["latitude": .double(3.5)]))
    }

    @Test func partsAreConvertedAndUnknownOnesRefused() throws {
        try camp.setPropertyValue(.composite(["latitude": .int(7), "grid": .null]), forKey: "position")
        #expect(try camp.propertyValue(forKey: "position") == .composite(["latitude": .double(7)]))
        let unknown = #expect(throws: GraphError.self) {
            try camp.setPropertyValue(.composite(["latitud": .int(7)]), forKey: "position")
        }
        #expect(
            unknown?.code == .unknownKey && unknown?.key == "position.latitud"
                && unknown?.message.contains("latitude") == true)
        let wrong = #expect(throws: GraphError.self) {
            try camp.setPropertyValue(.composite(["survey": .composite(["error": .string("x")])]), forKey: "position")
        }
        #expect(wrong?.code == .wrongType && wrong?.key == "position.survey.error")
    }
}
