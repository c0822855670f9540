import { existsSync, readFileSync, statSync } from "node:fs"
import { extname, join, resolve } from "node:path"

/** The response of a static host for one path. */
export interface Served {
  readonly status: number
  readonly type: string
  /** Path of a redirect, null otherwise. */
  readonly location: string | null
  readonly body: Buffer
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".gif": "image/gif",
  ".htm": "text/html",
  ".html": "text/html",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".json": "application/json",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".xhtml": "application/xhtml+xml",
  ".xml": "application/xml"
}

const typeOf = (file: string): string => types[extname(file).toLowerCase()] ?? "application/octet-stream"

/** A folder of built pages, served as GitHub Pages does: `index.html`, a slash after folders, names without `.html`, `404.html`. */
export class Folder {
  constructor(
    readonly path: string,
    /** The origin that the pages were built for, which responses replace by `here`; null to change nothing. */
    private readonly builtFor: string | null,
    private readonly here: string
  ) {}

  answer(pathname: string): Served {
    const wanted = this.fileOf(pathname)
    if (wanted === null) return this.missing()
    if (statSync(wanted, { throwIfNoEntry: false })?.isDirectory() !== true)
      return this.existing(wanted) ?? this.existing(`${wanted}.html`) ?? this.missing()
    const index = this.existing(join(wanted, "index.html"))
    if (index === null) return this.existing(`${wanted}.html`) ?? this.missing()
    if (pathname.endsWith("/")) return index
    return { status: 301, type: "text/html", location: `${pathname}/`, body: Buffer.alloc(0) }
  }

  /** The file of a path inside the folder, or null. */
  private fileOf(pathname: string): string | null {
    try {
      const file = resolve(this.path, `.${decodeURIComponent(pathname)}`)
      const isInside = file === this.path || file.startsWith(`${this.path}/`)
      return isInside && !file.includes("\0") && !(pathname.endsWith("/") && this.isFile(file)) ? file : null
    } catch {
      return null
    }
  }

  private isFile(path: string): boolean {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  }

  private existing(file: string, status = 200): Served | null {
    return this.isFile(file) ? { status, type: typeOf(file), location: null, body: this.bytes(file) } : null
  }

  private missing(): Served {
    const own = existsSync(join(this.path, "404.html")) ? this.existing(join(this.path, "404.html"), 404) : null
    return own ?? { status: 404, type: "text/html", location: null, body: Buffer.from("<h1>404 Not Found</h1>") }
  }

  private bytes(file: string): Buffer {
    const bytes = readFileSync(file)
    if (this.builtFor === null || !/^text\/html|xml|plain/.test(typeOf(file))) return bytes
    return Buffer.from(bytes.toString("latin1").replaceAll(this.builtFor, this.here), "latin1")
  }
}
