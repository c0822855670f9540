import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import { asked } from "../../../src/app/operator/Commands.ts"
import { version } from "../../../src/foundation/schema/Scalars.ts"
import * as CommandLine from "../../../src/foundation/terminal/CommandLine.ts"
import { plainLine } from "../../../src/foundation/terminal/CommandLine.ts"
import { invocation } from "../../../src/foundation/terminal/Terminal.ts"
import { run } from "../../cli.ts"
import { folder } from "../../folder.ts"
import { found, taking } from "../../packages.ts"

const all = (...lines: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.runPromise(Effect.forEach(lines, (words) => run({}, ...words), { concurrency: 2 }))

describe("a command line", () => {
  test("with an unknown option names the most similar option, and never a value", async () => {
    const secret = "Authorization: Basic c2VjcmV0"
    const [value, equals, argument, header, far, single, group, root] = await all(
      ["crawl", "--maxpages", "3", "http://site.test"],
      ["crawl", "http://site.test", "--maxpages=3"],
      ["crawl", "--no-deadlinks"],
      ["crawl", "http://site.test", "--headr", secret],
      ["webhooks", "verify", "--zzzzzzzz", "x"],
      ["crawl", "-x", "http://site.test"],
      ["keys", "--json", "list"],
      ["--json", "keys", "list"]
    )
    const near = (meant: string) =>
      expect.stringContaining(`. Did you mean ${meant}? For help: ${invocation} crawl --help`)
    const refused = { code: 1, stdout: "" }
    expect(value).toEqual({ ...refused, stderr: near("--max-pages") })
    expect(value?.stderr).toStartWith("findable: crawl has no option --maxpages. ")
    expect(equals).toEqual({ ...refused, stderr: near("--max-pages") })
    expect(argument).toEqual({ ...refused, stderr: near("--no-dead-links") })
    expect(header).toEqual({ ...refused, stderr: near("--header") })
    expect(header?.stderr).not.toContain("c2VjcmV0")
    expect(far?.stderr).toContain("has no option --zzzzzzzz. Use one of --json, --secret, --signature.")
    expect(single?.stderr).toStartWith("findable: crawl has no option -x. Use one of --baseline")
    expect(group?.stderr).toBe(`findable: keys has no option --json. For help: ${invocation} keys --help\n`)
    expect(root?.stderr).toBe(`findable: There is no option --json. For help: ${invocation} --help\n`)
  }, 60_000)

  test("with an option without its value says so, also for repeatable options", async () => {
    const said = await all(["crawl", "http://site.test", "--header"], ["crawl", "http://site.test", "--max-pages"])
    expect(said.map(({ code, stderr }) => [code, stderr])).toEqual(
      ["--header", "--max-pages"].map((name) => [
        1,
        `findable: crawl: ${name} needs a value after it. For help: ${invocation} crawl --help\n`
      ])
    )
  }, 60_000)

  test("accepts help as a word, and -v", async () => {
    const [word, option, ofOne, wrong, short, long] = await all(
      ["help"],
      ["--help"],
      ["help", "keys", "create"],
      ["help", "keys", "creat"],
      ["-v"],
      ["--version"]
    )
    expect(word).toMatchObject({ code: 0, stdout: option?.stdout ?? "" })
    expect(ofOne?.stdout).toStartWith("findable keys create: ")
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("Did you mean create?") })
    for (const said of [short, long]) expect(said).toEqual({ code: 0, stderr: "", stdout: `${version}\n` })
    expect(plainLine(["bun", "cli.ts", "crawl", "help", "-v"])).toEqual(["bun", "cli.ts", "crawl", "help", "-v"])
  }, 60_000)

  test("shows optional parts in brackets, and no others", async () => {
    const [crawl, imports] = await all(["crawl", "--help"], ["rankings", "import", "--help"])
    expect(crawl?.stdout).toContain("[--fail-on text...]")
    expect(crawl?.stdout).toContain("[--header field...]")
    expect(crawl?.stdout).toMatch(/\n {4}(?:\S.* )?<URL>\n\nARGUMENTS/)
    expect(imports?.stdout).toMatch(/ --project text\s.*<FILE>\.\.\./s)
    expect(imports?.stdout).not.toContain("[--project")
  }, 60_000)
})

describe("completions", () => {
  test("are named in the help with commands that print the right code for each shell", async () => {
    const [help, bash, zsh, fish, other] = await all(
      ["--help"],
      ["--completions", "bash"],
      ["--completions", "zsh"],
      ["--completions", "fish"],
      ["--completions", "tcsh"]
    )
    expect(help?.stdout).toContain("findable --completions bash >> ~/.bashrc\n")
    expect(zsh).toMatchObject({ code: 0, stdout: expect.stringContaining("#compdef findable") })
    expect(fish).toMatchObject({ code: 0, stdout: expect.stringContaining("complete -c findable") })
    expect(other).toEqual({
      code: 1,
      stderr: `findable: --completions takes one of sh, bash, zsh, fish. For help: ${invocation} --help\n`,
      stdout: ""
    })
    const completed = await Effect.runPromise(
      Effect.scoped(
        Effect.map(folder, (path) => {
          writeFileSync(join(path, "rc"), bash?.stdout ?? "")
          const script = `. ./rc
            COMP_WORDS=(findable cr); COMP_CWORD=1; _findable_bash_completions findable cr findable; echo "\${COMPREPLY[@]}"
            COMP_WORDS=(findable crawl --ex); COMP_CWORD=2; _findable_bash_completions findable --ex crawl; echo "\${COMPREPLY[@]}"`
          return Bun.spawnSync(["bash", "--norc", "-c", script], { cwd: path }).stdout.toString()
        })
      )
    )
    expect(completed).toBe("crawl\n--exclude\n")
  }, 60_000)
})

const config = CliConfig.make({ showBuiltIns: false })

const whole = await Effect.runPromise(
  Effect.map(Effect.all(asked([])), (commands) => Command.make("findable").pipe(Command.withSubcommands(commands)))
)

const known = (path: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.provide(Descriptor.parse(whole.descriptor, ["findable", ...path, "--help"], config), BunContext.layer)
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

/** The words of an example, as a shell splits them. */
const wordsOf = (example: string) =>
  Array.from(example.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, single, double, bare]) =>
    (single ?? double ?? bare ?? "").replace(/\$([A-Z]+)/, (_, name: string) => values[name] ?? crypto.randomUUID())
  )

const everything = await paths([])

describe("help", () => {
  for (const path of everything) {
    const name = ["findable", ...path].join(" ")
    test(`for ${name} fits 80 columns, is plain text, and has an example that the command accepts`, async () => {
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
        Effect.either(Effect.provide(Descriptor.parse(whole.descriptor, wordsOf(called), config), BunContext.layer))
      )
      // The files in examples do not exist.
      const problem = parsed._tag === "Left" ? CommandLine.plainMessage(parsed.left.error) : ""
      expect(problem.replace(/^Path .* must exist$/, "")).toBe("")
    })
  }

  test("is shown by the command line, also for an invalid command", async () => {
    const [help, group, wrong, near] = await Promise.all(
      [["keys", "create", "--help"], ["keys"], ["keys", "create", "--account", "x"], ["keys", "creat"]].map((words) =>
        Effect.runPromise(run({}, ...words))
      )
    )
    expect(help).toMatchObject({ code: 0, stderr: "" })
    expect(help?.stdout).toStartWith("findable keys create: Create an API key")
    expect(group?.stdout).toContain("COMMANDS")
    expect(wrong).toMatchObject({ code: 1, stdout: "" })
    expect(wrong?.stderr).toStartWith("findable: keys create: ")
    expect(near).toMatchObject({
      code: 1,
      stderr: `findable: keys has no command creat. Did you mean create? For help: ${invocation} keys --help\n`
    })
  }, 60_000)
})
