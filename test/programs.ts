import { join } from "node:path"
import { address } from "./children.ts"
import { kept, source } from "./kept.ts"
import { bundle } from "./package/bundle.ts"

const folder = await kept("commands", async (outdir) => {
  for (const program of ["cli.ts", "main.ts"]) await bundle({ address, folder: source, outdir, program })
})

/**
 * The command and the node, each in one file with its bytecode, as the package has its command: a process starts in a third of the time. The programs that
 * they start are such files too; all else they find where the sources are.
 */
export const program = (name: "cli" | "main") => join(folder, `${name}.js`)
