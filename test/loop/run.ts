import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

// `bun run campaign loop`: the whole loop on a site in a git repository, as a transcript: crawl, fix, recheck, diff, and the gate of a pipeline.

const root = resolve(import.meta.dir, "../..")
const place = mkdtempSync(join(tmpdir(), "findable-loop-"))

const page = (title: string, links: ReadonlyArray<string>) =>
  `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>${title}</title>
  <meta name="description" content="${title}: what we sell, and how to reach us.">
</head>
<body>
  <h1>${title === "" ? "Ash" : title}</h1>
  ${links.map((to) => `<a href="${to}">All about ${to.slice(1) || "us"}</a>`).join("\n  ")}
</body>
</html>
`

const file = (name: string) => join(place, name)
const write = (name: string, text: string) => writeFileSync(file(name), text)

/** Serves the files of the repository unchanged. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 0),
  fetch: ({ url }) => {
    const path = new URL(url).pathname.slice(1)
    const found = [path, `${path}.html`, join(path, "index.html")]
      .map(file)
      .find((each) => existsSync(each) && statSync(each).isFile())
    return found === undefined ? new Response("There is no such page", { status: 404 }) : new Response(Bun.file(found))
  }
})

/** Runs a line in the repository and prints it with its output; `cli` is the command of this checkout. */
const $ = async (line: string) => {
  const shell = `cli() { "${process.execPath}" "${join(root, "src/cli.ts")}" "$@"; }\n${line}`
  const child = Bun.spawn(["bash", "-c", shell], {
    cwd: place,
    env: { ...process.env, FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8" },
    stderr: "pipe",
    stdout: "pipe"
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  console.log(`$ ${line}`)
  process.stdout.write(stdout + stderr)
  if (code !== 0) console.log(`[exit code ${code}]`)
  return code
}

const git = (...words: ReadonlyArray<string>) =>
  spawnSync("git", ["-c", "user.name=Shop", "-c", "user.email=shop@example.com", ...words], { cwd: place })

const expected: Array<readonly [line: string, code: number, wanted: number]> = []
const step = async (line: string, wanted: number) => void expected.push([line, await $(line), wanted])

const site = `http://127.0.0.1:${server.port}/`
git("init", "-q")
write("index.html", page("Trees and shrubs", ["/oak", "/ash"]))
write("oak.html", page("Oak", ["/", "/elm"]))
write("ash.html", page("", ["/"]))
git("add", ".")
git("commit", "-qm", "The shop")

await step(`cli crawl ${site} --format json > before.json`, 0)
await step("cli fixes before.json --rule broken_link", 0)

const broken = readFileSync(file("oak.html"), "utf8")
write("oak.html", broken.replace('  <a href="/elm">All about elm</a>\n', ""))
git("commit", "-qam", "Oak no longer links to elm")
await step("git show --stat --oneline --no-decorate | tail -2", 0)

await step("cli verify before.json --rule broken_link --rule title_missing", 2)
write("ash.html", page("Ash", ["/"]))
git("commit", "-qam", "Ash has a title")
await step("cli verify before.json --rule broken_link --rule title_missing", 0)

await step(`cli crawl ${site} --format json > after.json`, 0)
await step("cli diff before.json after.json", 0)

await step(`cli crawl ${site} --baseline after.json --fail-on new:warning --format sarif > findable.sarif`, 0)
write("oak.html", broken)
git("commit", "-qam", "A revert that brings the dead link back")
await step(`cli crawl ${site} --baseline after.json --fail-on new:warning --format sarif > findable.sarif`, 2)

await server.stop(true)
rmSync(place, { recursive: true })
const wrong = expected.filter(([, code, wanted]) => code !== wanted)
for (const [line, code, wanted] of wrong) console.error(`${line}: exit code ${code} instead of ${wanted}`)
process.exit(wrong.length === 0 ? 0 : 1)
