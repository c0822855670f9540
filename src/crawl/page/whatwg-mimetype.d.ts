declare module "whatwg-mimetype" {
  export class MIMEType {
    static parse(text: string): MIMEType | null
    readonly essence: string
    readonly parameters: { get(name: string): string | undefined }
    isHTML(): boolean
    isXML(): boolean
  }
  export function computedMIMEType(resource: Uint8Array, options?: { readonly contentTypeHeader?: string }): MIMEType
}
