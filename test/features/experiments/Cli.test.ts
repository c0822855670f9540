import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Command from "@effect/cli/Command"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { experiments as experimentsCommand } from "../../../src/features/experiments/Cli.ts"
import { Experiments } from "../../../src/features/experiments/Experiments.ts"
import { growthProjects as growthProjectsCommand } from "../../../src/features/experiments/GrowthProjectsCli.ts"
import * as Cli from "../../cli.ts"
import { databaseUrl } from "../../cluster.ts"
import { folder } from "../../folder.ts"
import { suite } from "../../harness.ts"
import { counts, experiment, layer, owner } from "./experimenting.ts"

const it = suite(Layer.merge(layer, BunContext.layer))

const run = Command.run(
  Command.make("findable").pipe(Command.withSubcommands([growthProjectsCommand, experimentsCommand])),
  { name: "findable", version: "test" }
)

/** The result of a command with `--json`. */
const answered = (...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const { unsafe, ...console } = yield* Console.consoleWith(Effect.succeed)
    const log = (line: string) => Effect.sync(() => lines.push(line))
    yield* Console.withConsole(run(["bun", "findable", ...words, "--json"]), { ...console, log, unsafe })
    return JSON.parse(lines.join("\n"))
  })

/** The error of a failing command. */
const refused = (...words: ReadonlyArray<string>) =>
  Effect.map(Effect.flip(run(["bun", "findable", ...words])), (error) =>
    Predicate.hasProperty(error, "message") ? error.message : error
  )

/** A temporary file, removed after the test. */
const file = (text: string) =>
  Effect.map(folder, (directory) => {
    const path = join(directory, "metrics.json")
    writeFileSync(path, text)
    return path
  })

describe("the administrator, on the command line,", () => {
  it("creates a growth project, and an experiment for it that is started and evaluated", function* () {
    const experiments = yield* Experiments
    const { account } = yield* owner
    const domain = "https://WWW.Example.org/a"
    const project = yield* answered("growth-projects", "create", "--account", account, "--domain", domain)
    expect(project).toMatchObject({ account_id: account, domain: "example.org" })
    const drafted = yield* answered("experiments", "create", "--growth-project", project.id, "--name", "Titles")
    expect(drafted).toMatchObject({ hypothesis: null, name: "Titles", project_id: project.id, status: "draft" })
    expect((yield* answered("experiments", "start", drafted.id)).status).toBe("running")
    const metrics = yield* file(JSON.stringify(counts))
    const completed = yield* answered("experiments", "evaluate", drafted.id, "--file", metrics)
    expect(completed).toEqual(yield* experiments.get(account, drafted.id))
    expect(completed.analysis.isSignificant).toBe(true)
    expect(yield* answered("growth-projects", "list", "--account", account)).toContainEqual(project)
  })

  it("creates an experiment that starts immediately, with its hypothesis", function* () {
    const { project } = yield* owner
    const words = ["--growth-project", project, "--name", "Titles", "--hypothesis", "More", "--status", "running"]
    expect(yield* answered("experiments", "create", ...words)).toMatchObject({
      hypothesis: "More",
      status: "running"
    })
  })

  it("evaluates with pages, in the same file as the metrics", function* () {
    const { account, project } = yield* owner
    const { id } = yield* experiment(account, project, "running")
    const page = { postConversions: 3, postImpressions: 100, preConversions: 2, preImpressions: 100 }
    const arm = { postConversions: 6, postImpressions: 200, preConversions: 4, preImpressions: 200 }
    const pages = ["control", "control", "treatment", "treatment"].map((arm, index) => ({
      arm,
      ...page,
      preConversions: 1 + 2 * (index % 2)
    }))
    const metrics = yield* file(JSON.stringify({ controlMetrics: arm, pages, treatmentMetrics: arm }))
    const { analysis } = yield* answered("experiments", "evaluate", id, "--file", metrics)
    expect(analysis).toMatchObject({ didEstimator: 0, method: "page_permutation", pValue: 1 })
  })

  it("gets one sentence for an impossible request", function* () {
    const { account, project } = yield* owner
    const { id } = yield* experiment(account, project)
    const invalid = yield* file(JSON.stringify({ controlMetrics: { ...counts.controlMetrics, preImpressions: 0 } }))
    const create = ["experiments", "create", "--growth-project"]
    expect(yield* refused("growth-projects", "create", "--account", account, "--domain", "ftp://a")).toBe(
      "domain must be a domain such as example.com, or an http or https URL on it without credentials"
    )
    expect(yield* refused("growth-projects", "create", "--account", project, "--domain", "a.example")).toBe(
      `There is no account ${project}`
    )
    expect(yield* refused(...create, account, "--name", "x")).toBe(
      "No experiment domain found with this id. Check the id, and the account that it belongs to"
    )
    expect(yield* refused(...create, project, "--name", " ")).toBe("name must be 1 to 200 characters of valid text")
    expect(yield* refused("experiments", "start", account)).toBe(
      "No experiment found with this id. Check the id, and the account that it belongs to"
    )
    expect(yield* refused("experiments", "evaluate", id, "--file", yield* file(JSON.stringify(counts)))).toBe(
      "The experiment is not running. Start it first"
    )
    expect(yield* refused("experiments", "evaluate", id, "--file", invalid)).toBe(
      "controlMetrics.preImpressions must be an integer from 1 to 9007199254740991; treatmentMetrics is missing"
    )
  })

  it("finds these commands in the program", function* () {
    const { project } = yield* owner
    const url = yield* databaseUrl
    const words = ["experiments", "create", "--growth-project", project, "--name", "Titles", "--json"]
    const { code, stdout } = yield* Cli.run({ DATABASE_URL: url }, ...words)
    expect(JSON.parse(stdout)).toMatchObject({ name: "Titles", project_id: project })
    expect(code).toBe(0)
  })
})
