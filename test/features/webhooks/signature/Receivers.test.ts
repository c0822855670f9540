import { describe, expect, test } from "bun:test"
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Signature from "../../../../src/features/webhooks/signature/Signature.ts"

const folder = join(import.meta.dir, "receivers")
const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
const other = "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="
const now = 1_764_000_000
const body = '{"id":"evt_1","text":"Grüße 🚀 \\u0000"}'

interface Case {
  readonly name: string
  readonly genuine: boolean
  readonly body: string
  readonly header: string
}

const cases = async (): Promise<ReadonlyArray<Case>> => {
  const sign = (timestamp: number, secrets: ReadonlyArray<string> = [secret]) =>
    Signature.sign({ body, secrets, timestamp })
  const header = await sign(now)
  const v1 = header.slice(header.indexOf("v1=") + 3)
  const genuine = (name: string, header: string): Case => ({ name, genuine: true, body, header })
  const forged = (name: string, header: string, changed = body): Case => ({
    name,
    genuine: false,
    body: changed,
    header
  })
  return [
    genuine("a delivery", header),
    genuine("300 seconds old", await sign(now - 300)),
    genuine("300 seconds ahead", await sign(now + 300)),
    genuine("rotation, ours first", await sign(now, [secret, other])),
    genuine("rotation, ours second", await sign(now, [other, secret])),
    genuine("another scheme besides", `v0=${v1},${header}`),
    forged("301 seconds old", await sign(now - 301)),
    forged("301 seconds ahead", await sign(now + 301)),
    forged("another secret", await sign(now, [other])),
    forged("a changed body", header, body.replace("evt_1", "evt_2")),
    forged("an added byte", header, `${body} `),
    forged("an empty body", header, ""),
    forged("a moved timestamp", header.replace(`${now}`, `${now + 1}`)),
    forged("a signature in upper case", `t=${now},v1=${v1.toUpperCase()}`),
    forged("a signature cut short", header.slice(0, -2)),
    forged("a signature of letters beyond ASCII", `t=${now},v1=${"é".repeat(64)}`),
    forged("an empty signature", `t=${now},v1=`),
    forged("another scheme", `t=${now},v0=${v1}`),
    forged("no timestamp", `v1=${v1}`),
    forged("a timestamp that is no number", `t=NaN,v1=${v1}`),
    forged("a timestamp of a thousand digits", `t=${"1".repeat(1000)},v1=${v1}`),
    forged("an empty header", ""),
    forged("a header of separators", ",,=,=,")
  ]
}

/** Runs an example on all cases in one process, because starting a language takes the time. */
const verdicts = async (command: ReadonlyArray<string>, directory: string, given: ReadonlyArray<Case>) => {
  const input = given.map(({ body, header }) => ({ body: Buffer.from(body).toString("base64"), header, secret, now }))
  const child = Bun.spawn([...command], {
    cwd: directory,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", GO111MODULE: "off" },
    stdin: Buffer.from(JSON.stringify(input)),
    stderr: "inherit"
  })
  const received: ReadonlyArray<boolean> = JSON.parse(await new Response(child.stdout).text())
  return Object.fromEntries(given.map(({ name }, index) => [name, received[index]]))
}

const expected = (given: ReadonlyArray<Case>) => Object.fromEntries(given.map(({ genuine, name }) => [name, genuine]))
const has = (program: string) => Bun.which(program) !== null
const title = "accepts what is genuine and refuses what is not"

const inTemporary = async (body: (directory: string) => Promise<void>) => {
  const directory = mkdtempSync(join(tmpdir(), "receiver-"))
  try {
    await body(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

describe("the verification module for endpoints", () => {
  test(`${title}, on Bun`, async () => {
    for (const { body, genuine, header } of await cases()) {
      expect((await Signature.verify({ body, header, now, secret })).valid).toBe(genuine)
    }
  })

  test.skipIf(!has("node"))(`${title}, on Node.js`, () =>
    inTemporary(async (directory) => {
      const entrypoints = [join(import.meta.dir, "../../../../src/features/webhooks/signature/Signature.ts")]
      const bundle = await Bun.build({ entrypoints, outdir: directory, target: "browser" })
      expect(bundle.success).toBe(true)
      writeFileSync(join(directory, "package.json"), '{"type":"module"}')
      copyFileSync(join(folder, "drive-verify.mjs"), join(directory, "drive-verify.mjs"))
      const given = await cases()
      expect(await verdicts(["node", "drive-verify.mjs"], directory, given)).toEqual(expected(given))
    })
  )
})

describe("the TypeScript example of an endpoint", () => {
  test.skipIf(!has("node"))(`${title}, on Node.js`, () =>
    inTemporary(async (directory) => {
      const source = await Bun.file(join(folder, "receiver.ts")).text()
      writeFileSync(join(directory, "receiver.mjs"), new Bun.Transpiler({ loader: "ts" }).transformSync(source))
      copyFileSync(join(folder, "drive.mjs"), join(directory, "drive.mjs"))
      const given = await cases()
      expect(await verdicts(["node", "drive.mjs"], directory, given)).toEqual(expected(given))
    })
  )

  test(`${title}, on Bun`, async () => {
    const { isGenuine } = await import("./receivers/receiver.ts")
    for (const { body, genuine, header } of await cases()) {
      expect(isGenuine(Buffer.from(body), header, secret, now)).toBe(genuine)
    }
  })
})

test.skipIf(!has("python3"))(`the Python example of an endpoint ${title}`, async () => {
  const given = await cases()
  expect(await verdicts(["python3", "drive.py"], folder, given)).toEqual(expected(given))
})

test.skipIf(!has("go"))(`the Go example of an endpoint ${title}`, async () => {
  const given = await cases()
  const command = ["go", "run", "receiver.go", "drive.go"]
  expect(await verdicts(command, join(folder, "go"), given)).toEqual(expected(given))
})
