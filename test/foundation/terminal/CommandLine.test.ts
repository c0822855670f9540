import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { version } from "../../../src/foundation/schema/Scalars.ts"
import { plainLine } from "../../../src/foundation/terminal/CommandLine.ts"
import { run } from "../../command.ts"
import { folder } from "../../folder.ts"

const all = (...lines: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.runPromise(Effect.forEach(lines, (words) => run({}, ...words), { concurrency: 2 }))

describe("a command line", () => {
  test("with an option that there is not names the nearest one, never a value", async () => {
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
    const near = (meant: string) => expect.stringContaining(`, did you mean ${meant}; see findable crawl --help`)
    const refused = { code: 1, stdout: "" }
    expect(value).toEqual({ ...refused, stderr: near("--max-pages") })
    expect(value?.stderr).toStartWith("findable: crawl has no option --maxpages, ")
    expect(equals).toEqual({ ...refused, stderr: near("--max-pages") })
    expect(argument).toEqual({ ...refused, stderr: near("--no-dead-links") })
    expect(header).toEqual({ ...refused, stderr: near("--header") })
    expect(header?.stderr).not.toContain("c2VjcmV0")
    expect(far?.stderr).toContain("has no option --zzzzzzzz: there are --json, --secret, --signature;")
    expect(single?.stderr).toStartWith("findable: crawl has no option -x: there are --baseline")
    expect(group?.stderr).toBe("findable: keys has no option --json; see findable keys --help\n")
    expect(root?.stderr).toBe("findable: there is no option --json; see findable --help\n")
  }, 60_000)

  test("with an option without its value says so, also where it may be repeated", async () => {
    const said = await all(["crawl", "http://site.test", "--header"], ["crawl", "http://site.test", "--max-pages"])
    expect(said.map(({ code, stderr }) => [code, stderr])).toEqual(
      ["--header", "--max-pages"].map((name) => [
        1,
        `findable: crawl: ${name} needs a value behind it; see findable crawl --help\n`
      ])
    )
  }, 60_000)

  test("takes help as a word, and -v", async () => {
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
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("did you mean create") })
    for (const said of [short, long]) expect(said).toEqual({ code: 0, stderr: "", stdout: `${version}\n` })
    expect(plainLine(["bun", "cli.ts", "crawl", "help", "-v"])).toEqual(["bun", "cli.ts", "crawl", "help", "-v"])
  }, 60_000)

  test("shows in brackets what may be left out, and only that", async () => {
    const [crawl, imports] = await all(["crawl", "--help"], ["rankings", "import", "--help"])
    expect(crawl?.stdout).toContain("[--fail-on text...]")
    expect(crawl?.stdout).toContain("[--header field...]")
    expect(crawl?.stdout).toMatch(/\n {4}\S.* <URL>\n\nARGUMENTS/)
    expect(imports?.stdout).toMatch(/--project text .*<FILE>\.\.\./s)
    expect(imports?.stdout).not.toContain("[--project")
  }, 60_000)
})

describe("completions", () => {
  test("are named in the help, by commands that print what each shell reads", async () => {
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
      stderr: "findable: --completions knows sh, bash, zsh, fish; see findable --help\n",
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
