import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Command from "@effect/cli/Command"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { experiments as experimentsCommand } from "../../../../src/features/experiments/Cli.ts"
import { folder } from "../../../folder.ts"
import { suite } from "../../../harness.ts"
import { ago, layer, marketer, world } from "./designing.ts"

const it = suite(Layer.merge(layer, BunContext.layer), { timeout: 60_000 })

const run = Command.run(Command.make("findable").pipe(Command.withSubcommands([experimentsCommand])), {
  name: "findable",
  version: "test"
})

const answered = (...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const { unsafe, ...console } = yield* Console.consoleWith(Effect.succeed)
    const log = (line: string) => Effect.sync(() => lines.push(line))
    yield* Console.withConsole(run(["bun", "findable", "experiments", ...words, "--json"]), { ...console, log, unsafe })
    return JSON.parse(lines.join("\n"))
  })

const refused = (...words: ReadonlyArray<string>) =>
  Effect.map(Effect.flip(run(["bun", "findable", "experiments", ...words])), (error) =>
    Predicate.hasProperty(error, "message") ? error.message : error
  )

const file = (name: string, text: string) =>
  Effect.map(folder, (directory) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  })

describe("the administrator, on the command line,", () => {
  it("designs an experiment with options, assigns pages, reads the power, starts, previews and evaluates", function* () {
    const { project, site } = yield* marketer(world)
    const day = yield* ago(60)
    const options = ["--site", site, "--metric", "clicks", "--change-date", day, "--exclude", "/shop/9"]
    const created = yield* answered("create", "--growth-project", project, "--name", "Titles", ...options)
    expect(created.design).toEqual({
      change_date: day,
      exclude: ["/shop/9"],
      metric: "clicks",
      post_days: 28,
      pre_days: 28,
      settle_days: 7,
      site_id: site
    })
    const pages = yield* file("pages.txt", `${world.pages.join("\n")}\n\n`)
    const assigned = yield* answered("assign", "--pages", pages, "--seed", "a", created.id)
    expect(assigned.design.treatment.pages.length + assigned.design.control.pages.length).toBe(19)
    expect((yield* answered("power", created.id)).effects).toHaveLength(5)
    expect((yield* answered("start", created.id)).status).toBe("running")
    expect((yield* answered("preview", created.id)).final).toBe(false)
    expect((yield* answered("evaluate", created.id)).analysis.unit).toBe("clicks_per_day")
  })

  it("designs an experiment with a file, which options change", function* () {
    const { project, site } = yield* marketer()
    const path = yield* file(
      "design.json",
      JSON.stringify({ metric: "ctr", site_id: site, treatment: { pages: ["/a"] } })
    )
    const of = ["--growth-project", project, "--name", "Titles"]
    const { design } = yield* answered("create", ...of, "--design", path, "--control", "auto", "--post-days", "56")
    expect(design).toMatchObject({ control: "auto", metric: "ctr", post_days: 56, treatment: { pages: ["/a"] } })
    expect(yield* refused("create", ...of, "--site", site)).toBe("design.metric is missing")
    const wrong = yield* file("wrong.json", JSON.stringify({ metric: "ctr", post_day: 28, site_id: site }))
    expect(yield* refused("create", ...of, "--design", wrong)).toMatch(/^design\.post_day is unexpected/)
    expect(yield* refused("create", ...of, "--design", path, "--pre-days", "30")).toBe(
      "design.pre_days must be 14, 28, 42, 56 or 84"
    )
  })
})
