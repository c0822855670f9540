import { join } from "node:path"
import { address } from "./children.ts"
import { kept, source } from "./kept.ts"
import { bundle } from "./package/bundle.ts"

const folder = await kept("commands", async (outdir) => {
  for (const program of ["cli.ts", "main.ts"]) await bundle({ address, folder: source, outdir, program })
})

/**
 * The command and the server, each bundled into one file with its bytecode like the command in the package, so that a process starts in a third of the time.
 * The programs that they start are bundled too; everything else is read from the sources.
 */
export const program = (name: "cli" | "main") => join(folder, `${name}.js`)
