import { basename, dirname, join } from "node:path"
import { addressIn, kept, source } from "./kept.ts"
import { bundle, children } from "./package/bundle.ts"

/** The programs for crawls and imports, each in one file with its bytecode, by their paths in the sources. */
export const folder = await kept("children", async (outdir) => {
  for (const child of children) {
    const program = `${child}.ts`
    const naming = basename(program)
    await bundle({ address: addressIn(source), folder: source, naming, outdir: join(outdir, dirname(child)), program })
  }
})

/** The folders of the modules that start them. */
const parents = children.map((child) => dirname(dirname(child)))

/** The base URL from which a module finds files by their path in the sources: a module that starts a program finds the built one here. */
export const address = (name: string) => addressIn(parents.includes(dirname(name)) ? folder : source)(name)
