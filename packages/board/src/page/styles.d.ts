// The bundler takes a style sheet that is imported for its effect; TypeScript has to be told that there are such modules.
declare module '*.css';
