/**
 * How the operator calls the command line where this process was started: by npm's script in a checkout, else by the program of the package, of which npx runs the one that
 * is installed. It fetches none: on a registry the name may be anybody's.
 */
export const invocation = import.meta.url.endsWith(".ts") ? "npm run -s cli --" : "npx --no-install findable"
