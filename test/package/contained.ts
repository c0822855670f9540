import { afterAll, describe, expect } from "bun:test"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { imageEnvironment, instructed, instructions } from "../app/node/deploy/files.ts"
import * as cluster from "../cluster.ts"
import { suite } from "../harness.ts"
import { type Consumer, run } from "./consumer.ts"
import { daemon } from "./daemon.ts"

const place = mkdtempSync(join(tmpdir(), "findable-image-"))
afterAll(() => rmSync(place, { force: true, recursive: true }))

/** A path of the image, in a folder of this test; its user is the test's. */
const here = (text: string) =>
  text.replace(/(?<=^|[\s'"=])\/(?=build|opt|usr\/local|var)/g, `${place}/`).replace("-o bun -g bun ", "")

const path = `${join(place, "usr/local/bin")}:/usr/bin:/bin`

/** Replaces `bun add`: the packed package and its dependencies, without optional ones. */
const installed = (consumer: Consumer, workdir: string) => {
  const target = join(workdir, "node_modules/findable")
  mkdirSync(target, { recursive: true })
  expect(
    run(["tar", "-xzf", join(place, "build/findable.tgz"), "--strip-components", "1", "-C", target], "/").code
  ).toBe(0)
  const linked = join(consumer.place, "node_modules")
  for (const name of readdirSync(linked).filter((name) => !/^(?:\.bin|findable|bun|.*postgres|lighthouse)$/.test(name)))
    symlinkSync(join(linked, name), join(workdir, "node_modules", name))
}

/** Executes the steps of the Dockerfile in a folder, as far as they need neither the base image nor a network; returns the skipped steps. */
const built = (consumer: Consumer) => {
  const left: Array<string> = []
  let workdir = place
  for (const name of ["usr/local/bin", "var/lib", "var/backups"]) mkdirSync(join(place, name), { recursive: true })
  symlinkSync(process.execPath, join(place, "usr/local/bin/bun"))
  for (const { name, rest } of instructions) {
    if (name === "WORKDIR") {
      workdir = here(rest)
      mkdirSync(workdir, { recursive: true })
    }
    if (name === "COPY" && !rest.startsWith("--from="))
      for (const source of rest.split(" ").slice(0, -1)) {
        const to = rest.endsWith("./") ? join(workdir, source) : join(workdir, rest.split(" ").at(-1) ?? "")
        cpSync(join(consumer.place, "node_modules/findable", source), to, { recursive: true })
      }
    if (name === "RUN" && rest.includes("bun add")) {
      left.push(rest)
      installed(consumer, workdir)
    } else if (name === "RUN") {
      const { code, text } = run(["/bin/sh", "-c", here(rest)], workdir, { PATH: path })
      expect({ code, rest, text: code === 0 ? "" : text }).toEqual({ code: 0, rest, text: "" })
    }
  }
  return left
}

const it = suite(cluster.layer)

/** The image of the package, without a Docker. */
export const contained = (consumer: () => Consumer) =>
  describe("the Dockerfile's steps, executed in a folder,", () => {
    it(
      "give a command that serves with another PostgreSQL, passes its health check, and needs nothing optional",
      () =>
        Effect.flatMap(cluster.databaseUrl, (DATABASE_URL) =>
          Effect.promise(async () => {
            expect(built(consumer())).toEqual([expect.stringContaining("bun add --omit=optional")])
            const image = Object.fromEntries(
              Object.entries(imageEnvironment).map(([name, value]) => [name, here(value)])
            )
            const env = { ...image, FINDABLE_HOST: "127.0.0.1", FINDABLE_PORT: "0", PATH: path }
            const [entry = "[]", command = "[]"] = [...instructed("ENTRYPOINT"), ...instructed("CMD")]
            const words: ReadonlyArray<string> = [...JSON.parse(entry), ...JSON.parse(command)]
            const workdir = here(instructed("WORKDIR").at(-1) ?? "")
            const [program = "", ...others] = words
            const serve = [join(place, "usr/local/bin", program), ...others]
            const lost = run(serve, workdir, env)
            expect([lost.code, lost.text.trim()]).toEqual([
              1,
              expect.stringMatching(
                /^findable: No embedded PostgreSQL for .*\. Set DATABASE_URL to a PostgreSQL 15 or later\.$/
              )
            ])
            const server = await daemon(serve, workdir, { ...env, DATABASE_URL })
            const port = new URL(server.banner.url ?? "").port
            const [, check = "[]"] = /CMD (\[.*\])$/.exec(instructed("HEALTHCHECK")[0] ?? "") ?? []
            const health = (FINDABLE_PORT: string) =>
              run(JSON.parse(check), workdir, { FINDABLE_PORT, PATH: path }).code
            // Requested without blocking this process.
            const asked = Bun.spawn(JSON.parse(check), { env: { FINDABLE_PORT: port, PATH: path }, stderr: "ignore" })
            expect([await asked.exited, health("1")]).toEqual([0, 1])
            expect(readFileSync(join(workdir, "first.key"), "utf8")).toStartWith("fnd_live_")
            const { code, messages } = await server.stop()
            expect([code, messages.at(-1)]).toEqual([0, "Findable has stopped"])
          })
        ),
      240_000
    )
  })
