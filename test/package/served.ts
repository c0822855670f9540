import { afterAll, describe, expect, test } from "bun:test"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { shortLived } from "../../src/foundation/terminal/ShortLived.ts"
import { unit } from "../app/node/deploy/files.ts"
import { type Consumer, node, run } from "./consumer.ts"
import { daemon } from "./daemon.ts"

const isRoot = process.getuid?.() === 0
/** A system user of every Linux, with neither a home nor a shell. */
const nobody = { gid: 65534, uid: 65534 }
const setpriv = Bun.which("setpriv")

/** A command without root's rights, like a unit with `User=`, `NoNewPrivileges=` and `CapabilityBoundingSet=`. */
const asSystemUser = isRoot
  ? [setpriv ?? "", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
  : []

const place = mkdtempSync(join(tmpdir(), "findable-unit-"))
chmodSync(place, 0o755)
afterAll(() => rmSync(place, { force: true, recursive: true }))

const own = (name: string) => {
  const path = join(place, name)
  mkdirSync(path, { mode: 0o700 })
  if (isRoot) chownSync(path, nobody.uid, nobody.gid)
  return path
}

/** The units' commands as their user runs them, with the folders of this test in place of the clicks in system. */
const commands = (installed: string) => {
  const [state, backups] = [own("state"), own("backups")]
  const here = (text: string) =>
    text
      .replaceAll("/opt/findable", installed)
      .replaceAll("/var/lib/findable", state)
      .replaceAll("/var/backups/findable", backups)
  const of = (name: string) => {
    const { environment, one } = unit(name)
    return {
      env: {
        ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)])),
        PATH: `${dirname(node ?? "")}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin`
      },
      words: [...asSystemUser, ...here(one("ExecStart")).split(" ")]
    }
  }
  return { backup: of("findable-backup.service"), backups, serve: of("findable.service"), state }
}

/** The reason why the units' commands cannot be run here, or undefined. */
const hindrance = (installed: string): string | undefined => {
  if (process.platform !== "linux") return "systemd is Linux'"
  if (isRoot && setpriv === null) return "setpriv is not there"
  const seen = run(
    [...asSystemUser, "/bin/sh", "-c", `cd '${installed}/node_modules/effect' && cd '${installed}/node_modules/bun'`],
    "/"
  )
  return seen.code === 0 ? undefined : "a system user cannot enter this checkout"
}

/** The command of a package installed without install scripts: npm's package of Bun has no program then. */
export const withoutBun = (consumer: () => Consumer) =>
  describe.skipIf(node === null)("the command of a package installed without install scripts", () => {
    test("says so in one line", () => {
      const folder = join(place, "unscripted")
      const dist = join(consumer().place, "node_modules/findable/dist")
      for (const name of ["bin.js", "foundation/terminal/ShortLived.js"]) cpSync(join(dist, name), join(folder, name))
      mkdirSync(join(folder, "node_modules/bun"), { recursive: true })
      writeFileSync(join(folder, "node_modules/bun/package.json"), "{}")
      writeFileSync(join(folder, "package.json"), '{"type":"module"}')
      expect(run([node ?? "", join(folder, "bin.js"), "serve"], folder)).toEqual({
        code: 1,
        text: expect.stringMatching(
          /^findable: Bun does not start \(.*ENOENT\)\. Install the package again, with its install scripts\.\n$/
        )
      })
    })
  })

/** The package as the units run it. */
export const served = (consumer: () => Consumer) =>
  describe.skipIf(node === null)("the commands of the systemd units, run as a system user without a home", () => {
    test("serve with Node.js alone and the embedded database, make a backup, and finish their work at SIGTERM", async () => {
      const installed = consumer().place
      chmodSync(installed, 0o755)
      const hindered = hindrance(installed)
      if (hindered !== undefined) {
        console.log(`units: their commands are not run, ${hindered}`)
        return
      }
      const { backup, backups, serve, state } = commands(installed)
      const told = { BUN_JSC_dumpOptions: "1", FINDABLE_LOG_FORMAT: "json", FINDABLE_PORT: "0" }
      const first = await daemon(serve.words, state, { ...serve.env, ...told, HOME: "/nonexistent" })
      const { url = "" } = first.banner
      const file = join(state, "first.key")
      expect(first.banner).toEqual({
        data_directory: state,
        docs: `${url}/docs`,
        key_file: file,
        message: `Findable runs at ${url}`,
        url
      })
      expect(statSync(file).mode & 0o777).toBe(0o600)
      // A server runs for months: Bun uses its usual compilers.
      for (const name of Object.keys(shortLived)) expect(first.log()).not.toContain(`${name.replace("BUN_JSC_", "")}=`)
      const made = await fetch(`${url}/api/v1/projects`, {
        body: '{"url":"https://example.com"}',
        headers: { "content-type": "application/json", "x-api-key": readFileSync(file, "utf8").trim() },
        method: "POST"
      })
      expect(made.status).toBe(201)
      for (const path of ["/docs", "/docs/guides/operating", "/console", "/console/console.js"])
        expect((await fetch(`${url}${path}`)).status).toBe(200)
      const saved = Bun.spawn(backup.words, { cwd: state, env: backup.env, stderr: "inherit", stdout: "ignore" })
      expect(await saved.exited).toBe(0)
      expect(readdirSync(backups)).toEqual([expect.stringMatching(/^findable-.*Z\.gz$/)])
      const { code, messages } = await first.stop()
      expect(code).toBe(0)
      expect(messages.slice(-3)).toEqual([
        "Findable is stopping",
        "Requests in progress have ended",
        "Findable has stopped"
      ])
      expect(existsSync(join(state, "postgres/data/postmaster.pid"))).toBe(false)

      const second = await daemon(serve.words, state, { ...serve.env, ...told })
      expect(Object.keys(second.banner).sort()).toEqual(["data_directory", "docs", "message", "url"])
      expect((await second.stop()).code).toBe(0)
    }, 240_000)
  })
