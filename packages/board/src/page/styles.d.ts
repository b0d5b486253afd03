// The bundler takes a style sheet that is imported for its effect; TypeScript needs a declaration of such modules.
declare module '*.css';
