import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Glob } from "bun"
import { nodeHeader } from "../../proxy.ts"
import { clients, strict } from "./clients.ts"
import { walk } from "./walk.ts"

// `bun run campaign foreign [FOLDER]`: tools of others on the document of a server that runs. Linters, a proxy that compares every answer with the document (a walk
// through all operations, and every test that asks a server), and three generators of clients, whose code is compiled strictly and asks the server. They are
// installed by npm into the folder (a new one unless given).

const root = resolve(import.meta.dir, "../../..")
const folder = resolve(process.argv[2] ?? mkdtempSync(join(tmpdir(), "findable-foreign-")))
const data = mkdtempSync(join(tmpdir(), "findable-foreign-data-"))

const tools = {
  "@hey-api/openapi-ts": "0.95.0",
  "@redocly/cli": "2.77.0",
  "@stoplight/prism-cli": "5.14.2",
  "@stoplight/spectral-cli": "6.16.3",
  "openapi-fetch": "0.17.0",
  "openapi-typescript": "7.13.0",
  orval: "7.13.2",
  typescript: "5.9.3"
}

// The database's own user has to enter it.
chmodSync(data, 0o755)

let failures = 0
const tell = (what: string, isWell: boolean, details = "") => {
  if (!isWell) failures++
  console.log(`${isWell ? "well " : "wrong"} ${what}${isWell || details === "" ? "" : `\n${details}`}`)
}

const quiet = { NO_COLOR: "1", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" }
const run = (...words: ReadonlyArray<string>) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...words], {
    cwd: folder,
    env: { ...process.env, ...quiet },
    stderr: "pipe",
    stdout: "pipe"
  })
  return { isWell: exitCode === 0, text: `${stdout}${stderr}` }
}

/** What a process says by the time that it says what is looked for; the rest is read and let go. */
const waitFor = async (said: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> => {
  const reader = said.getReader()
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(text)
    text += new TextDecoder().decode(value)
    const found = pattern.exec(text)
    if (found === null) continue
    void rest()
    return found[1] ?? ""
  }
}

const children: Array<Bun.Subprocess> = []
const start = (words: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) => {
  const child = Bun.spawn([...words], {
    cwd,
    env: { ...process.env, ...quiet, ...env },
    stderr: "inherit",
    stdout: "pipe"
  })
  children.push(child)
  return child.stdout
}

/** Starts the proxy before a server; it puts an error in the place of every request and answer that the document does not allow. */
const proxied = (upstream: string) =>
  waitFor(
    start(
      ["node", "node_modules/.bin/prism", "proxy", "openapi.json", upstream, "--errors", "--cors=false", "--port", "0"],
      folder,
      {}
    ),
    /listening on (http:\S+)/
  )

/** Leads what the proxy lets through to the node that its header names: the tests start many, the proxy has one upstream. */
const relay = () => {
  let passed = 0
  const server = Bun.serve({
    fetch: (request) => {
      passed++
      const { pathname, search } = new URL(request.url)
      const to = new URL(`${pathname}${search}`, request.headers.get(nodeHeader) ?? "")
      const headers = new Headers(request.headers)
      // Links in answers name the host that was asked.
      headers.set("host", to.host)
      return fetch(to, { body: request.body, decompress: false, headers, method: request.method, redirect: "manual" })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return { passed: () => passed, server }
}

/** The files of tests that ask a server over HTTP. */
const asking = () =>
  [...new Glob("test/**/*.test.ts").scanSync(root)]
    .filter((path) => /(?:server|node)\.ts"[\s\S]*\b(?:send|ask)\(/.test(readFileSync(join(root, path), "utf8")))
    .sort()

mkdirSync(folder, { recursive: true })
try {
  if (!existsSync(join(folder, "node_modules/typescript"))) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: tools, private: true, type: "module" }))
    const installed = run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
    if (!installed.isWell) throw new Error(installed.text)
  }
  const server = start([process.execPath, "src/main.ts"], root, {
    FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
    FINDABLE_DATA_DIR: data,
    FINDABLE_FIRST_KEY_FILE: join(data, "first-key"),
    FINDABLE_PORT: "0"
  })
  const base = await waitFor(server, /answers on (http:\S+)/)
  const key = readFileSync(join(data, "first-key"), "utf8").trim()
  writeFileSync(join(folder, "openapi.json"), await (await fetch(`${base}/api/v1/openapi.json`)).text())

  writeFileSync(join(folder, ".spectral.yaml"), 'extends: ["spectral:oas"]\n')
  const spectral = run(
    "npx",
    "spectral",
    "lint",
    "openapi.json",
    "--ruleset",
    ".spectral.yaml",
    "--fail-severity",
    "hint"
  )
  tell("Spectral (oas): no errors, no warnings", spectral.isWell, spectral.text)
  writeFileSync(join(folder, "redocly.yaml"), "extends:\n  - recommended\n")
  const redocly = run("npx", "redocly", "lint", "openapi.json", "--config", "redocly.yaml", "--format", "json")
  const totals = /"errors": (\d+),\s*"warnings": (\d+)/.exec(redocly.text)
  tell("Redocly (recommended): no errors, no warnings", totals?.[1] === "0" && totals[2] === "0", redocly.text)

  for (const { answer, step, violations } of await walk(await proxied(base), key))
    tell(`Prism: ${step}`, violations === "", `${answer} ${violations}`)

  const { passed, server: upstream } = relay()
  const whole = Bun.spawn([process.execPath, "test", "--timeout", "120000", "--no-isolate", ...asking()], {
    cwd: root,
    env: { ...process.env, ...quiet, FINDABLE_TEST_PROXY: await proxied(upstream.url.origin) },
    stderr: "pipe",
    stdout: "ignore"
  })
  const told = await new Response(whole.stderr).text()
  tell("Prism: the tests that ask a server", (await whole.exited) === 0 && passed() > 0, told)
  console.log(`     ${passed()} requests came through it`)
  await upstream.stop(true)

  for (const { generate, name, program } of clients(base, key)) {
    const generated = generate === null ? { isWell: true, text: "" } : run(...generate)
    if (!generated.isWell) {
      tell(`${name}: generates`, false, generated.text)
      continue
    }
    writeFileSync(join(folder, `${name}.smoke.ts`), program)
    writeFileSync(join(folder, `tsconfig.${name}.json`), JSON.stringify({ ...strict, files: [`${name}.smoke.ts`] }))
    const compiled = run("npx", "tsc", "-p", `tsconfig.${name}.json`)
    tell(`${name}: compiles strictly`, compiled.isWell, compiled.text)
    const smoked = run(process.execPath, `${name}.smoke.ts`)
    tell(`${name}: creates, lists and is refused as its types say`, smoked.isWell, smoked.text)
  }
} finally {
  for (const child of children) child.kill("SIGTERM")
  await Promise.all(children.map(({ exited }) => exited))
  rmSync(data, { force: true, recursive: true })
}
console.log(failures === 0 ? `nothing is wrong (${folder})` : `${failures} wrong (${folder})`)
process.exit(failures === 0 ? 0 : 1)
