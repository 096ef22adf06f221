declare module '*.wgsl' {
  const text: string;
  export default text;
}
