import { describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { names } from "../../../../src/app/node/Settings.ts"
import { folder, imageEnvironment, instructed, instructions, text, unit } from "./files.ts"

const root = resolve(import.meta.dir, "../../../..")
const settings = await Effect.runPromise(names)
const manifest: { readonly dependencies: Record<string, string>; readonly version: string } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)

/** An image of a fixed version, by a name without a registry. */
const pinned = /^[a-z]+(?:\/[a-z]+)?:\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?$/

describe("the Dockerfile", () => {
  test("starts from images of fixed versions, with the Bun version of the package", () => {
    const images = instructed("FROM").map((rest) => rest.split(" ")[0] ?? "")
    expect(images.length).toBe(2)
    expect(images.filter((image) => !pinned.test(image))).toEqual([])
    for (const image of images) expect(image).toBe(`oven/bun:${manifest.dependencies.bun}-slim`)
  })

  test("copies files that exist in the checkout or the build", () => {
    const copied = instructed("COPY").filter((rest) => !rest.startsWith("--from="))
    const sources = copied.flatMap((rest) => rest.split(" ").slice(0, -1))
    expect(sources.length).toBeGreaterThan(4)
    expect(sources.filter((name) => name !== "dist" && !existsSync(join(root, name)))).toEqual([])
  })

  test("runs the command as a user without privileges who owns the data folder, with settings that exist", () => {
    const last = instructions.map(({ name }) => name).lastIndexOf("FROM")
    const names = instructions.slice(last).map(({ name }) => name)
    expect(instructed("USER")).toEqual(["bun"])
    expect(names.indexOf("USER")).toBeGreaterThan(names.lastIndexOf("RUN"))
    expect(Object.keys(imageEnvironment).filter((name) => !settings.includes(name))).toEqual([])
    expect(instructed("VOLUME")).toEqual([JSON.stringify([imageEnvironment.FINDABLE_DATA_DIR])])
    expect(instructed("RUN").some((run) => run.includes("-o bun") && run.includes("/var/lib/findable"))).toBe(true)
    expect(instructed("EXPOSE")).toEqual([imageEnvironment.FINDABLE_PORT ?? ""])
    expect([...instructed("ENTRYPOINT"), ...instructed("CMD")]).toEqual(['["findable"]', '["serve"]'])
  })

  test("installs the browser that Findable looks for first, unless its argument is empty", () => {
    expect(instructed("ARG")).toEqual(["BROWSER=chromium-headless-shell"])
    const [install = ""] = instructed("RUN").filter((run) => run.includes("apt-get"))
    const installed = (browser: string) => {
      const place = mkdtempSync(join(tmpdir(), "findable-image-"))
      const script = install.replaceAll("/var/lib/apt/lists", place).replaceAll("apt-get", "echo apt-get")
      const { exitCode, stdout } = Bun.spawnSync(["sh", "-c", script], { env: { ...process.env, BROWSER: browser } })
      rmSync(place, { recursive: true })
      return { exitCode, installs: stdout.toString().includes(`install --yes --no-install-recommends ${browser}`) }
    }
    expect(installed("chromium-headless-shell")).toEqual({ exitCode: 0, installs: true })
    expect(installed("")).toEqual({ exitCode: 0, installs: false })
  })
})

const Service = Schema.Struct({
  cap_drop: Schema.optional(Schema.Array(Schema.String)),
  command: Schema.optional(Schema.Array(Schema.String)),
  depends_on: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.Struct({ condition: Schema.String }) })
  ),
  environment: Schema.Record({ key: Schema.String, value: Schema.String }),
  image: Schema.String,
  ports: Schema.optional(Schema.Array(Schema.String)),
  volumes: Schema.Array(Schema.String)
})
const Compose = Schema.Struct({
  services: Schema.Struct({ backup: Service, findable: Service, postgres: Service }),
  volumes: Schema.Record({ key: Schema.String, value: Schema.Null })
})

describe("the services of the compose file", () => {
  const { services, volumes } = Schema.decodeUnknownSync(Compose)(Bun.YAML.parse(text("compose.yaml")))
  const all = Object.values(services)

  test("have images of fixed versions; Findable's image has the package's version", () => {
    expect(all.filter(({ image }) => !pinned.test(image))).toEqual([])
    for (const { image } of [services.findable, services.backup]) expect(image).toBe(`findable:${manifest.version}`)
    expect(text("Dockerfile")).toContain(`-t findable:${manifest.version} `)
  })

  test("have settings that exist, one database, named volumes, and a port on the loopback interface only", () => {
    const { backup, findable, postgres } = services
    expect(
      [findable, backup]
        .flatMap(({ environment }) => Object.keys(environment))
        .filter((name) => !settings.includes(name))
    ).toEqual([])
    const { POSTGRES_DB, POSTGRES_PASSWORD, POSTGRES_USER } = postgres.environment
    const url = `postgresql://${POSTGRES_USER}:${POSTGRES_PASSWORD}@postgres:5432/${POSTGRES_DB}`
    expect([findable.environment.DATABASE_URL, backup.environment.DATABASE_URL]).toEqual([url, url])
    const used = all.flatMap(({ volumes }) => volumes.map((volume) => volume.split(":")[0] ?? ""))
    expect(used.sort()).toEqual(Object.keys(volumes).sort())
    expect(findable.volumes).toEqual([`state:${imageEnvironment.FINDABLE_DATA_DIR}`])
    expect(findable.ports).toEqual([`127.0.0.1:${imageEnvironment.FINDABLE_PORT}:${imageEnvironment.FINDABLE_PORT}`])
    for (const { cap_drop, depends_on } of [findable, backup])
      expect([cap_drop, Object.values(depends_on ?? {})]).toEqual([["ALL"], [{ condition: "service_healthy" }]])
  })

  test("make one backup a day, also after a restart", () => {
    const [script = ""] = services.backup.command ?? []
    const place = mkdtempSync(join(tmpdir(), "findable-compose-"))
    const once = script
      .replace("while :; do", "")
      .replace(/sleep 3600\s*done/, "")
      .replaceAll("/var/backups/findable", place)
      .replace("findable backup", `sh -c 'touch ${place}/findable-2026-11-09T03-00-00-000Z.gz; echo backup "$@"' sh`)
    const said = () => Bun.spawnSync(["sh", "-c", once]).stdout.toString()
    expect([said(), said()]).toEqual([`backup --keep 14 ${place}\n`, ""])
    rmSync(place, { recursive: true })
  })
})

const verifier = Bun.which("systemd-analyze")
if (verifier === null) console.log("units: not verified, systemd-analyze is not there")

describe("the systemd units", () => {
  const units = readdirSync(folder).filter((name) => /\.(?:service|timer)$/.test(name))
  const services = units.filter((name) => name.endsWith(".service"))

  test.skipIf(verifier === null)("pass systemd-analyze verify", () => {
    const place = mkdtempSync(join(tmpdir(), "findable-units-"))
    // The package is not installed at the path in the units.
    for (const name of units)
      writeFileSync(join(place, name), text(name).replaceAll("/opt/findable/node_modules/.bin/findable", "/bin/true"))
    const { exitCode, stderr } = Bun.spawnSync([
      verifier ?? "",
      "verify",
      "--man=no",
      ...units.map((name) => join(place, name))
    ])
    const ours = stderr
      .toString()
      .split("\n")
      .filter((line) => units.some((name) => line.includes(name)))
    rmSync(place, { recursive: true })
    expect({ exitCode, ours }).toEqual({ exitCode: 0, ours: [] })
  })

  test("have the same sandbox, the server with the namespaces of a browser's sandbox, and settings that exist", () => {
    const walls = services.map((name) =>
      text(name)
        .slice(text(name).indexOf("NoNewPrivileges"))
        .split("\n")
        .filter((line) => /^(?:\w+)=/.test(line) && !/^(?:ReadWritePaths|RestrictNamespaces|WantedBy)=/.test(line))
    )
    expect(walls[0]?.length).toBeGreaterThan(15)
    expect(walls[1]).toEqual(walls[0] ?? [])
    expect(unit("findable.service").one("RestrictNamespaces")).toBe("user pid net")
    expect(unit("findable-backup.service").one("RestrictNamespaces")).toBe("true")
    for (const name of services) {
      const { environment, one } = unit(name)
      expect(Object.keys(environment).filter((setting) => !settings.includes(setting))).toEqual([])
      expect([one("User"), environment.FINDABLE_DATA_DIR, one("WorkingDirectory"), one("StateDirectory")]).toEqual([
        "findable",
        "/var/lib/findable",
        "/var/lib/findable",
        "findable"
      ])
    }
  })
})
