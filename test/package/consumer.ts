import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { kept } from "../kept.ts"

export const root = resolve(import.meta.dir, "../..")
export const node = Bun.which("node")

interface Ended {
  readonly code: number
  readonly text: string
}

/** Runs a command to its end; the output of both channels is one text. */
export const run = (words: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>> = {}): Ended => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...words], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stderr: "pipe",
    stdout: "pipe"
  })
  return { code: exitCode, text: `${stdout}${stderr}` }
}

/** Runs a command without blocking this process, which may have to answer it. */
export const started = async (
  words: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {}
): Promise<Ended> => {
  const child = Bun.spawn([...words], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stderr: "pipe",
    stdout: "pipe"
  })
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text()
  ])
  return { code, text: `${out}${err}` }
}

/** A consumer's folder with the packed package and its dependencies. */
export interface Consumer {
  readonly place: string
  /** Paths in the package. */
  readonly packed: ReadonlyArray<string>
  /** The folder of the package for endpoints, which is built with it. */
  readonly sdk: string
  readonly write: (name: string, text: string) => void
  readonly remove: () => void
}

const succeeding = (ended: Ended): Ended => {
  if (ended.code !== 0) throw new Error(ended.text)
  return ended
}

/** The package and that for endpoints, built and packed once for the current sources. */
const made = () =>
  kept("package", async (folder) => {
    succeeding(await started([process.execPath, "pm", "pack", "--destination", folder], root))
    cpSync(join(root, "dist/sdk"), join(folder, "sdk"), { recursive: true })
  })

export const makeConsumer = async (): Promise<Consumer> => {
  const folder = await made()
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "none")
  const place = mkdtempSync(join(tmpdir(), "findable-package-"))
  const target = join(place, "node_modules", "findable")
  mkdirSync(target, { recursive: true })
  succeeding(run(["tar", "-xzf", tarball, "--strip-components", "1", "-C", target], place))
  for (const name of readdirSync(join(root, "node_modules")).filter((name) => name !== ".bin"))
    symlinkSync(join(root, "node_modules", name), join(place, "node_modules", name))
  mkdirSync(join(place, "node_modules/.bin"))
  symlinkSync("../findable/dist/bin.js", join(place, "node_modules/.bin/findable"))
  const write = (name: string, text: string) => writeFileSync(join(place, name), text)
  write("package.json", '{"type":"module"}')
  return {
    packed: run(["tar", "-tzf", tarball], place).text.trim().split("\n"),
    place,
    remove: () => rmSync(place, { force: true, recursive: true }),
    sdk: join(folder, "sdk"),
    write
  }
}
