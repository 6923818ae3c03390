import Schema

/// A model with every form of derived attribute.
enum DerivedModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Company",
                attributes: [
                    .init("name", .string),
                    .init("headcount", .integer64, derivationExpression: "departments.headcount.@sum"),
                ],
                relationships: [
                    .init("departments", to: "Department", inverse: "company", maxCount: 0, deleteRule: .cascade)
                ]),
            EntityDefinition(
                "Department",
                attributes: [
                    .init("name", .string), .init("headcount", .integer64, derivationExpression: "employees.@count"),
                    .init("payroll", .integer64, derivationExpression: "employees.salary.@sum"),
                    .init("bonuses", .double, derivationExpression: "employees.bonus.@sum"),
                    .init("mean", .double, derivationExpression: "employees.salary.@avg"),
                    .init("youngest", .date, derivationExpression: "employees.born.@max"),
                    .init("first", .string, derivationExpression: "employees.name.@min"),
                ],
                relationships: [
                    .init("company", to: "Company", inverse: "departments"),
                    .init("employees", to: "Employee", inverse: "department", maxCount: 0),
                ]),
            EntityDefinition(
                "Employee",
                attributes: [
                    .init("name", .string), .init("salary", .integer32), .init("bonus", .double), .init("born", .date),
                    .init("folded", .string, derivationExpression: "canonical:(name)"),
                    .init("loud", .string, derivationExpression: "uppercase:(name)"),
                    .init("quiet", .string, derivationExpression: "lowercase(department.name)"),
                    .init("alias", .string, derivationExpression: "name"),
                    .init("departmentName", .string, derivationExpression: "department.name"),
                    .init("companyName", .string, derivationExpression: "department.company.name"),
                    .init("colleagues", .integer32, derivationExpression: "department.employees.@count"),
                    .init("friendCount", .integer16, derivationExpression: "friends.@count"),
                    .init("friendPay", .integer64, derivationExpression: "friends.salary.@sum"),
                    .init("leaderName", .string, derivationExpression: "leader.name"),
                    .init("changed", .date, derivationExpression: "now()"),
                ],
                relationships: [
                    .init("department", to: "Department", inverse: "employees"),
                    .init("friends", to: "Employee", inverse: "friends", maxCount: 0),
                    .init("leader", to: "Manager", inverse: "team"),
                    .init("projects", to: "Project", inverse: "members", maxCount: 0),
                ]),
            EntityDefinition(
                "Manager", superentityName: "Employee",
                attributes: [.init("teamSize", .integer32, derivationExpression: "team.@count")],
                relationships: [.init("team", to: "Employee", inverse: "leader", maxCount: 0)]),
            EntityDefinition(
                "Project",
                attributes: [
                    .init("name", .string), .init("staff", .integer64, derivationExpression: "members.@count"),
                    .init("cost", .integer64, derivationExpression: "members.salary.@sum"),
                    .init("last", .string, derivationExpression: "members.name.@max"),
                ],
                relationships: [.init("members", to: "Employee", inverse: "projects", maxCount: 0)]),
        ])
    }
}
