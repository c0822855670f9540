/** Runs every suite of this folder and prints one line for each oracle: `robots-ctc  200/200`. Fails when a suite does. */
import { Glob } from "bun"

interface Suite {
  readonly lines: ReadonlyArray<string>
  readonly failed: boolean
}

const width = 20

const line = (name: string, figures: string, note = ""): string =>
  `${name.padEnd(width)}  ${figures}${note === "" ? "" : `  (${note})`}`

const counted = (output: string, what: string): number =>
  Number(new RegExp(`^ *(\\d+) ${what}$`, "m").exec(output)?.[1] ?? 0)

/** The summary lines of a suite: `oracle NAME (note): 200/200`, or the reason for skipping it. */
const said = (output: string): ReadonlyArray<string> =>
  [...output.matchAll(/^oracle ([\w.-]+?)(?:\.json)?(?: \((.*?)\))?: (.+)$/gm)].map(
    ([, name = "", note, figures = ""]) => line(name, figures.replace(/^skipped/, "SKIPPED"), note)
  )

/** A suite without figures is counted by its tests. */
const byTests = (name: string, output: string): string => {
  const [passed, failed, skipped] = [counted(output, "pass"), counted(output, "fail"), counted(output, "skip")]
  return passed + failed === 0
    ? line(name, `SKIPPED, ${/^NOTICE: (.*)$/m.exec(output)?.[1] ?? `its oracle is not there (${skipped} tests)`}`)
    : line(name, `${passed}/${passed + failed}`, skipped === 0 ? "tests" : `tests; ${skipped} SKIPPED`)
}

const run = async (file: string): Promise<Suite> => {
  const child = Bun.spawn([process.execPath, "test", `${import.meta.dir}/${file}`], { stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  const output = `${out}\n${err}`
  const figures = said(output)
  if (code !== 0) console.error(output)
  return {
    lines: figures.length > 0 ? figures : [byTests(file.replace(/\.test\.ts$/, ""), output)],
    failed: code !== 0
  }
}

let failures = 0
for (const file of [...new Glob("*.test.ts").scanSync({ cwd: import.meta.dir })].sort()) {
  const { failed, lines } = await run(file)
  for (const each of lines) console.log(failed ? `${each}  FAILED` : each)
  if (failed) failures++
}
if (failures > 0) process.exit(1)
