import * as Context from "effect/Context"

/** Marks an endpoint whose body is a file of any type, read as it arrives; the text describes the file. */
export class FileBody extends Context.Tag("http/FileBody")<FileBody, string>() {}

/** The mark, for a contract. */
export const fileBody = (description: string) => Context.make(FileBody, description)
