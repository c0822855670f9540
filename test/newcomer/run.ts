import { spawn } from "node:child_process"
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join, resolve } from "node:path"
/** A command of a guide, and the output that the guide shows for it, or for the commands just before it. */
export interface Step {
  readonly command: string
  readonly shown: string
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm

/** The commands of a block, without their comments; a line that ends with a backslash continues. */
const commandsOf = (block: string) =>
  block
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/\s+#\s.*$/, "").trim())
    .filter((line) => line !== "")

/** Every command that a guide has its readers type, in order: its shell blocks, each with the output block after it. */
export const stepsOf = (guide: string): ReadonlyArray<Step> => {
  const blocks = Array.from(guide.matchAll(fence), ([, language = "", text = ""]) => ({ language, text }))
  return blocks.flatMap(({ language, text }, at) => {
    const next = blocks[at + 1]
    const shown = next === undefined || next.language === "sh" ? "" : next.text
    const commands = language === "sh" ? commandsOf(text) : []
    return commands.map((command, index) => ({ command, shown: index === commands.length - 1 ? shown : "" }))
  })
}

const namesIn = (text: string) => new Set(Array.from(text.matchAll(/"(\w+)":/g), ([, name = ""]) => name))

const headersIn = (text: string) =>
  new Set(Array.from(text.matchAll(/^([a-z][a-z-]*): /gim), ([, name = ""]) => name.toLowerCase()))

const plain = (text: string) => text.split("\n").map((line) => line.replace(/\d+/g, "0").trimEnd())

/** The parts of a guide's output that are missing in the real output: a status, header names, field names; otherwise lines, ignoring numbers. */
export const missing = (shown: string, answered: string): ReadonlyArray<string> => {
  if (!shown.includes("{")) {
    const lines = new Set(plain(answered))
    return plain(shown).filter((line) => line !== "…" && line !== "" && !lines.has(line))
  }
  const [status] = /^HTTP\/1\.1 \d+ .*$/m.exec(shown) ?? []
  const fields = namesIn(answered)
  const headers = headersIn(answered)
  return [
    ...(status === undefined || answered.includes(status) ? [] : [status]),
    ...[...namesIn(shown)].filter((name) => !fields.has(name)),
    ...(status === undefined ? [] : [...headersIn(shown)].filter((name) => !headers.has(name)))
  ]
}

const links: Readonly<Record<string, string>> = {
  a: "first page",
  b: "second page",
  dead: "dead link",
  old: "old page"
}

const page = (title: string, to: ReadonlyArray<string>, more = "") =>
  new Response(
    `<!doctype html>
<html lang="en">
<head>
<title>${title}</title>
<meta name="description" content="${title}: what it is about, and where the other pages are.">
<meta name="viewport" content="width=device-width">
${more}
</head>
<body>
<h1>${title}</h1>
<a href="/">start page</a> ${to.map((name) => `<a href="/${name}">${links[name]}</a>`).join(" ")}
</body>
</html>`,
    { headers: { "content-type": "text/html; charset=utf-8" } }
  )

/** The small site of the guides: three public pages, a noindex page, a moved page, and a broken link. */
export const site = (port: number) =>
  Bun.serve({
    fetch: ({ url }) => {
      switch (new URL(url).pathname) {
        case "/":
          return page("A small site", ["a", "b", "dead"])
        case "/a":
          return page("The first page", ["old", "dead"])
        case "/b":
          return page("The second page", [], '<meta name="robots" content="noindex">')
        case "/c":
          return page("The page that moved", [])
        case "/old":
          return new Response(null, { headers: { location: "/c" }, status: 301 })
        default:
          return new Response("There is no such page", { status: 404 })
      }
    },
    hostname: "127.0.0.1",
    port
  })

// `bun run campaign newcomer [--tests]`: the first minutes of a user who has only Node, npm and the tools of the system, as a transcript: in a fresh clone of
// the last commit it runs every command of the README and of the first tutorials exactly as written. `npm test` runs only with `--tests`. It exits with 1
// when a command fails, or prints less than its guide shows.

const root = resolve(import.meta.dir, "../..")

const place = mkdtempSync(join(tmpdir(), "findable-newcomer-"))

// The database's own user must be able to read it.
chmodSync(place, 0o755)

const home = join(place, "home")

const clone = join(place, "findable")

mkdirSync(home)

/** This machine's access to registries is not part of the newcomer's environment. */
const reaching = Object.entries(process.env).filter(([name]) =>
  /^(?:npm_config_.*|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:DIR|FILE))$/i.test(name)
)

for (const name of [".npmrc", ".bunfig.toml"]) {
  if (existsSync(join(homedir(), name))) copyFileSync(join(homedir(), name), join(home, name))
}

const env = { ...Object.fromEntries(reaching), HOME: home, LANG: "C.UTF-8", PATH: "/usr/local/bin:/usr/bin:/bin" }

const problems: Array<string> = []

const began = Date.now()

const wide = 1500

const cut = (line: string) => (line.length > wide ? `${line.slice(0, wide)} …` : line)

const show = (text: string) => console.log(text.trimEnd().split("\n").map(cut).join("\n"))

const prompt = (command: string) => console.log(`\n[${Math.round((Date.now() - began) / 1000)} s] $ ${command}`)

/** The variables so far, in shell syntax. Scripts use aliases only on request. */
let assigned = "shopt -s expand_aliases\n"

/** Runs a command in the clone to its end, and prints it with its output. */
const run = async (command: string, cwd = clone): Promise<string> => {
  prompt(command)
  const child = Bun.spawn(["bash", "-c", `${assigned}${command}`], { cwd, env, stderr: "pipe", stdout: "pipe" })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  show(`${stdout}${stderr}`)
  if (code !== 0) problems.push(`${command}: exit code ${code}`)
  if (/"error":\{/.test(stdout)) problems.push(`${command}: an error`)
  return stdout
}

/** Starts the server and waits for its complete banner. */
const start = (command: string) => {
  prompt(command)
  const child = spawn("bash", ["-c", command], { cwd: clone, detached: true, env, stdio: ["ignore", "pipe", "pipe"] })
  const { promise: ready, resolve: answers, reject: ends } = Promise.withResolvers<string>()
  let said = ""
  const hear = (bytes: Buffer) => {
    said += bytes
    if (/runs at http[\s\S]*include=result/.test(said)) answers(said)
  }
  child.stdout.on("data", hear)
  child.stderr.on("data", hear)
  const ended = new Promise<void>((done) =>
    child.on("exit", (code) => {
      ends(new Error(`${command} ended with ${code}: ${said}`))
      done()
    })
  )
  const stop = async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM")
    await ended
  }
  return { ready, stop }
}

/** The guides whose commands are run, in reading order. */
const names = ["README.md", "tutorials/site-in-ten-minutes.md", "tutorials/first-api-session.md"]

const guides = await Promise.all(
  names.map(async (name) => ({
    name,
    text: await Bun.file(join(root, name === "README.md" ? name : `src/guides/${name}`)).text()
  }))
)

const starting =
  guides.map(({ text }) => /`(FINDABLE_\S+ npm start)`/.exec(text)?.[1]).find((line) => line !== undefined) ??
  "npm start"

const local = site(9999)

let stop = async () => {}

try {
  await run(`git clone -q file://${root} findable`, place)
  for (const tool of ["node", "npm"]) await run(`${tool} --version`)
  const server = start(starting)
  stop = server.stop
  const said = await server.ready
  show(said)
  const key = /fnd_live_[\w-]{32}/.exec(said)?.[0] ?? ""
  let answered = ""
  let last = ""
  for (const { command, guide, shown } of guides.flatMap(({ name, text }) =>
    stepsOf(text).map((step) => ({ ...step, guide: name }))
  )) {
    const [, name] = /^([A-Z]+)=\S+$/.exec(command) ?? []
    // The server runs already; tests in `test/package` install and start the package.
    if (["npm start", "npx --no-install findable serve"].includes(command)) continue
    if (command === "npm test" && !process.argv.includes("--tests")) continue
    if (command.startsWith("alias ")) {
      prompt(command)
      assigned += `${command}\n`
    } else if (name === undefined) {
      last = await run(command)
      answered += last
    } else {
      // A reader's input: the printed key, the latest id, or the text in the guide.
      const id = /"id":"([^"]+)"/.exec(last)?.[1]
      const value = name === "KEY" ? key : /=[0-9a-f-]{36}$/.test(command) ? id : command.slice(name.length + 1)
      prompt(`${name}=${value}`)
      assigned += `${name}=${value}\n`
    }
    const absent = missing(shown, answered)
    if (absent.length > 0) problems.push(`${command}: ${guide} shows ${absent.join(", ")}`)
    if (shown !== "") answered = ""
  }
} finally {
  await stop()
  await local.stop(true)
  rmSync(place, { force: true, recursive: true })
}

console.log(`\n${problems.length === 0 ? "Every command of the guides did what it says" : problems.join("\n")}`)

process.exit(problems.length === 0 ? 0 : 1)
