import { describe, expect, test } from "bun:test"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import { asked } from "../../../src/app/operator/Commands.ts"
import * as CommandLine from "../../../src/foundation/terminal/CommandLine.ts"
import { invocation } from "../../../src/foundation/terminal/Terminal.ts"
import { run } from "../../command.ts"
import { found, taking } from "../../packages.ts"

const config = CliConfig.make({ showBuiltIns: false })

const all = await Effect.runPromise(
  Effect.map(Effect.all(asked([])), (commands) => Command.make("findable").pipe(Command.withSubcommands(commands)))
)

const known = (path: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.provide(Descriptor.parse(all.descriptor, ["findable", ...path, "--help"], config), BunContext.layer)
  ).then((directive) => {
    if (directive._tag !== "BuiltIn" || directive.option._tag !== "ShowHelp")
      throw new Error(`no help of ${path.join(" ")}`)
    return directive.option
  })

/** Every command and group. */
const paths = async (path: ReadonlyArray<string>): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const children = CommandLine.childrenOf(await known([]), path)
  return [path, ...(await Promise.all(children.map((child) => paths([...path, child])))).flat()]
}

const values: Readonly<Record<string, string>> = { DATA: "{}", SECRET: `whsec_${Buffer.alloc(32).toString("base64")}` }

/** The words of an example, as a shell reads them. */
const wordsOf = (example: string) =>
  Array.from(example.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, single, double, bare]) =>
    (single ?? double ?? bare ?? "").replace(/\$([A-Z]+)/, (_, name: string) => values[name] ?? crypto.randomUUID())
  )

const everything = await paths([])

describe("help", () => {
  for (const path of everything) {
    const name = ["findable", ...path].join(" ")
    test(`of ${name} fits 80 columns, is plain text, and has an example that the command understands`, async () => {
      const shown = await known(path)
      const page = CommandLine.page(path, shown)
      expect(page).not.toContain("\u001b")
      expect(Math.max(...page.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80)
      if (CommandLine.childrenOf(await known([]), path).length > 0) return
      const [, example = ""] = page.replace(/\n {4}/g, " ").split("EXAMPLE\n")
      expect(example.trim()).toStartWith(`${invocation} ${path.join(" ")}`)
      expect(found(taking, page)).toEqual([])
      const called = example.trim().replace(invocation, "findable")
      expect(found(taking, page)).toEqual([])
      const parsed = await Effect.runPromise(
        Effect.either(Effect.provide(Descriptor.parse(all.descriptor, wordsOf(called), config), BunContext.layer))
      )
      // The files that examples name are not there.
      const problem = parsed._tag === "Left" ? CommandLine.plainMessage(parsed.left.error) : ""
      expect(problem.replace(/^Path .* must exist$/, "")).toBe("")
    })
  }

  test("is in the command line, where a line is not understood too", async () => {
    const [help, group, wrong, near] = await Promise.all(
      [["keys", "create", "--help"], ["keys"], ["keys", "create", "--account", "x"], ["keys", "creat"]].map((words) =>
        Effect.runPromise(run({}, ...words))
      )
    )
    expect(help).toMatchObject({ code: 0, stderr: "" })
    expect(help?.stdout).toStartWith("findable keys create: create a key")
    expect(group?.stdout).toContain("COMMANDS")
    expect(wrong).toMatchObject({ code: 1, stdout: "" })
    expect(wrong?.stderr).toStartWith("findable: keys create: ")
    expect(near).toMatchObject({
      code: 1,
      stderr: "findable: keys has no command creat, did you mean create; see findable keys --help\n"
    })
  }, 60_000)
})
